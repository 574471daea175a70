"""Results as one page for browsers: what was asked, what came out, whether it can be believed,
where it fails, how it was made. A chapter has a module of its own; `report.web_page` is the way in.
"""
