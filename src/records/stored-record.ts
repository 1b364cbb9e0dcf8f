/** A record as it was stored, with what hook calls say about its device (contract, section 11). */
export interface StoredRecord {
  id: string;
  /** Unix seconds, with fractions. */
  ts: number;
  metadata: Readonly<Record<string, unknown>>;
  data: Readonly<Record<string, unknown>>;
  device: RecordDevice;
  /** W3C trace context of the call that posted it, where there is one. Not stored with the record. */
  traceparent?: string;
}

/** The device of a record, as it stood when the record was stored. */
export interface RecordDevice {
  id: string;
  serial: string;
  organizationId: string;
  product?: { id: string; organizationId: string };
  location?: { lat: number; lon: number };
  /** Present where its organization has alert rules. */
  hasRules?: true;
}
