/** Version of the rules that records are built by. */
export const RECORD_RULES_VERSION = 1;
