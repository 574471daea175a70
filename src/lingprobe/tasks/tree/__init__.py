"""Questions about whole sentences from constituency trees and running text (Conneau et al.
2018).
"""
