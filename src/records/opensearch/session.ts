/**
 * Session setting of connections whose `record` is the journal: those that store records, match them, and follow what
 * was just stored.
 */
export const journalSession = '-c search_path=journal,public';
