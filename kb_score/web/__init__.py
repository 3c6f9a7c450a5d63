"""Pages for a browser in which the rules run: the playground, the table, the sheet, the report."""
