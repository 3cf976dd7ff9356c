"""What was measured, as a page to read: charts as SVG, tables, no library and no network."""
