"""One module a page, drawn by its `show`; its title, icon and path are in `navigation`."""
