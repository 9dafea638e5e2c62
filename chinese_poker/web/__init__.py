"""The server: the command's documents over HTTP, a ledger of nights, and the page (extra ``web``)."""
