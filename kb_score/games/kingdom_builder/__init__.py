"""Kingdom Builder: boards scored and explained, claimed scores checked."""
