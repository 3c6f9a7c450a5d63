"""Web pages in which the rules run: the playground, the table, the sheet, the report."""
