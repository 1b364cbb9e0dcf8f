/** A record as it was stored, with the properties of its device that hook calls show (contract, section 11). */
export interface StoredRecord {
  id: string;
  /** Unix seconds, with fractions. */
  ts: number;
  metadata: Readonly<Record<string, unknown>>;
  data: Readonly<Record<string, unknown>>;
  device: RecordDevice;
  /** Present for a record of an import, which alert rules ignore. */
  isImported?: true;
  /** W3C trace context of the call that posted the record. It is not stored with the record. */
  traceparent?: string;
}

/** The device of a record, at the time of storing. */
export interface RecordDevice {
  id: string;
  serial: string;
  organizationId: string;
  product?: { id: string; organizationId: string };
  location?: { lat: number; lon: number };
  /** Present if its organization has alert rules. */
  hasRules?: true;
}
