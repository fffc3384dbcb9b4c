/** Rules records are made by: a record made by others is made anew where it is asked to be. */
export const RECORD_RULES_VERSION = 1;
