/**
 * 24 hex digits or a uuid (docs/api.md#identity), standing alone. A tile made in the web UI may be called
 * `tbl`: such ids are followed where a reference is declared, never searched for in text.
 */
export const ID_TOKEN = /(?<![\w-])[\da-f]{8}(?:[\da-f]{16}|-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})(?![\w-])/giu;
