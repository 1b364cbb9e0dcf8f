/** Version of the mapping of documents. Indices of other versions are not read. */
export const mappingVersion = 1;

/** Names of the indices of a service. */
export interface IndexNames {
  /** Returns the index of the month (UTC) in which a record was measured. Unix seconds. */
  of(ts: number): string;
  /** Returns the end of the month of an index, in milliseconds since 1970. */
  endOf(index: string): number;
  /** Pattern of all indices. */
  readonly all: string;
  /** Alias for people. */
  readonly alias: string;
  /** Pattern of all indices, of any version of the mapping. */
  readonly allVersions: string;
  /**
   * Returns the indices of the months that a range of Unix seconds touches, both ends included; `all` for an open end
   * or many months.
   */
  between(from: number | null, to: number | null): string;
}

/** Maximum time of measurement: the year 2100. Unix seconds. */
const latest = 4_102_444_800;
/** Number of months above which a range uses the pattern. */
const maxMonths = 36;

export const indexNames = (prefix: string): IndexNames => {
  const base = `${prefix}-records-${mappingVersion}-`;
  const all = `${base}*`;
  return {
    of: (ts) => `${base}${monthOf(ts)}`,
    endOf(index) {
      const [year, month] = index.slice(-7).split('.').map(Number);
      return Date.UTC(year!, month!, 1);
    },
    all,
    alias: `${prefix}-records`,
    allVersions: `${prefix}-records-*`,
    between(from, to) {
      if (from === null || to === null || !(from >= 0 && to >= from)) return all;
      const months = new Set<string>();
      const last = monthOf(Math.min(to, latest));
      for (let at = new Date(Math.min(from, latest) * 1000); months.size <= maxMonths; at = nextMonth(at)) {
        const month = monthOf(at.getTime() / 1000);
        if (month > last) return [...months].map((one) => base + one).join(',');
        months.add(month);
      }
      return all;
    },
  };
};

/** Returns a month such as `2026.11`. */
const monthOf = (ts: number): string => new Date(ts * 1000).toISOString().slice(0, 7).replace('-', '.');

const nextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
