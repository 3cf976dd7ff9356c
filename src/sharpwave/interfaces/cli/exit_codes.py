"""What the command line returns for each error, by the error's code."""

EXIT_CODES = {
    "usage": 2,
    "invalid_input": 2,
    "sensitive_content": 2,
    "wrong_format": 2,
    "invalid_settings": 2,
    "not_found": 3,
    "conflict": 4,
    "key_reused": 4,
    "overtaken": 4,
    "provider": 5,
    "provider_unavailable": 5,
    "provider_misbehaved": 5,
    "storage": 6,
    "store_busy": 6,
    "store_full": 6,
    "store_closed": 6,
    "store_degraded": 6,
    "store_damaged": 7,
    "wrong_key": 8,
    "unsafe_store": 8,
}
