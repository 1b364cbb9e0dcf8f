/**
 * Costs of work on the machine of docs/sizing.md, as `npm run bench -- sizing` measures them. Processor time is in
 * microseconds, of the service and PostgreSQL together.
 */
export interface Costs {
  /** A record sent alone in a request, and a record in a batch of 100. */
  readonly single: ResourceCost;
  readonly batched: ResourceCost;
  /** A delivery to one hook. */
  readonly delivery: ResourceCost;
  /** The rollups of an hour of one device with five variables, by hour, day and week. */
  readonly rollupHour: ResourceCost;
  /** Processor time of sending a record to one subscription. */
  readonly told: number;
  /** Resident memory in bytes. */
  readonly memory: { readonly service: number; readonly subscription: number; readonly connection: number };
}

/** Processor time in microseconds, bytes on disk with indexes, and bytes of the write-ahead log. */
export interface ResourceCost {
  readonly processor: number;
  readonly disk: number;
  readonly log: number;
}

/** Costs measured by a short run of `npm run bench -- sizing` on a machine that was also busy otherwise. */
export const measured: Costs = {
  single: { processor: 1470, disk: 541, log: 1360 },
  batched: { processor: 104, disk: 566, log: 980 },
  delivery: { processor: 390, disk: 3100, log: 3300 },
  // Disk space as measured with 10 million records in 90 days: 0.12 of that of the records.
  rollupHour: { processor: 3800, disk: 2200, log: 16_300 },
  told: 24,
  memory: { service: 280 * 2 ** 20, subscription: 60_000, connection: 57_000 },
};

/** Share of the processors that is planned for; the rest is for searches, upkeep and bursts. */
export const plannedShare = 0.5;
