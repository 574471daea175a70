"""Questions about whole sentences from Universal Dependencies treebanks (Krasnowska-Kieraś &
Wróblewska 2019).
"""
