"""Horror Movie Search Party: maps, records and live play around ``asp/search_party``."""
