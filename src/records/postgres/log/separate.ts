/** Who was found to have costly hooks is taken to have them for so long, in milliseconds. */
const rememberedFor = 600_000;
/** Groups that take longer than this are slow, in milliseconds. */
const slowAfter = 250;
/** Whose group was slow is taken to be slow for so long, in milliseconds. */
const slowFor = 60_000;

/** The transaction was given up because hooks of these organizations make it long: they wait again, to be stored apart. */
export class GroupHeldUp extends Error {
  constructor(readonly organizations: ReadonlySet<string>) {
    super('Costly hooks of some organizations hold up what others store.');
    this.name = 'GroupHeldUp';
  }
}

/**
 * Organizations whose hooks are costly: their filters have queries, or they make very many deliveries. What these organizations
 * store is committed apart from what others store, because filters and deliveries are part of the transaction. It is learned
 * by doing: the first time costs its group one transaction that is given up.
 */
export class CostlyHooks {
  private readonly organizations = new Map<string, { until: number; slowUntil: number }>();

  /** @param clock milliseconds that nobody can set */
  constructor(private readonly clock: () => number) {}

  /** These organizations have costly hooks; those in `slow` have groups that are slow. */
  note(organizations: Iterable<string>, slow: ReadonlySet<string>): void {
    const now = this.clock();
    for (const id of organizations) {
      const slowUntil = slow.has(id) ? now + slowFor : (this.organizations.get(id)?.slowUntil ?? 0);
      this.organizations.delete(id);
      this.organizations.set(id, { until: now + rememberedFor, slowUntil });
    }
    for (const [id, { until }] of this.organizations) {
      if (until > now) break;
      this.organizations.delete(id);
    }
  }

  has(organization: string): boolean {
    return (this.organizations.get(organization)?.until ?? 0) > this.clock();
  }

  isSlow(organization: string): boolean {
    return (this.organizations.get(organization)?.slowUntil ?? 0) > this.clock();
  }

  /** A group of this organization alone took so many milliseconds. */
  took(organization: string, milliseconds: number): void {
    const costly = this.organizations.get(organization);
    if (costly && milliseconds >= slowAfter) costly.slowUntil = this.clock() + slowFor;
  }
}
