"""The dashboard in a real browser, against real servers."""
