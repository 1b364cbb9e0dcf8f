/** Session setting of connections whose `record` is the journal: those that store, match and follow what was just stored. */
export const journalSession = '-c search_path=journal,public';
