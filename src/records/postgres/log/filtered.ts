/** Who was found to have filters is taken to have them for so long, in milliseconds. */
const rememberedFor = 600_000;
/** Groups that take longer than this are slow, in milliseconds. */
const slowAfter = 250;

/** The transaction was given up because filters of these organizations judge what several organizations store. */
export class FilteredTogether extends Error {
  constructor(readonly organizations: ReadonlySet<string>) {
    super('Filters judge what several organizations store.');
    this.name = 'FilteredTogether';
  }
}

/**
 * Organizations whose hooks have filters with queries. What they store is committed apart from what others store: the queries
 * are asked in the transaction, and nobody shall wait for those of others. It is learned by doing: who is not in it and has such a
 * filter costs its group one transaction that is given up.
 */
export class Filtered {
  private readonly organizations = new Map<string, { until: number; slow: boolean }>();

  /** @param clock milliseconds since the epoch */
  constructor(private readonly clock: () => number) {}

  /** These organizations have filters. */
  note(organizations: Iterable<string>): void {
    const now = this.clock();
    for (const id of organizations) this.organizations.set(id, { until: now + rememberedFor, slow: this.isSlow(id) });
    for (const [id, { until }] of this.organizations) {
      if (until > now) break;
      this.organizations.delete(id);
    }
  }

  has(organization: string): boolean {
    return (this.organizations.get(organization)?.until ?? 0) > this.clock();
  }

  isSlow(organization: string): boolean {
    return this.organizations.get(organization)?.slow ?? false;
  }

  /** A group of this organization alone took so many milliseconds. */
  took(organization: string, milliseconds: number): void {
    const filtered = this.organizations.get(organization);
    if (filtered) filtered.slow = milliseconds >= slowAfter;
  }
}
