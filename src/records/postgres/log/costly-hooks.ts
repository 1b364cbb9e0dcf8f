/** Time for which an organization with costly hooks is remembered, in milliseconds. */
const rememberedFor = 600_000;
/** Duration above which a group is slow, in milliseconds. */
const slowAfter = 250;
/** Time for which an organization with a slow group counts as slow, in milliseconds. */
const slowFor = 60_000;

/**
 * Organizations with costly hooks: their filters have queries, or they make very many deliveries. Filters and
 * deliveries are part of the transaction, so these organizations' records are committed in isolated ones. The first
 * costly transaction of an organization reveals it, and is rolled back.
 */
export class CostlyHooks {
  private readonly organizations = new Map<string, { until: number; slowUntil: number }>();

  /** @param clock monotonic milliseconds */
  constructor(private readonly clock: () => number) {}

  /** Notes organizations with costly hooks. The groups of those in `slow` are slow. */
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

  /** Notes the duration of a group of this organization alone. */
  took(organization: string, milliseconds: number): void {
    const costly = this.organizations.get(organization);
    if (costly && milliseconds >= slowAfter) costly.slowUntil = this.clock() + slowFor;
  }
}
