"""One module a page: TITLE, ICON, PATH and `show`."""
