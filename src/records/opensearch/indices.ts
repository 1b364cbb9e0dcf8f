/** Version of the mapping of documents: indices of another one are not read. */
export const mappingVersion = 1;

/** How the indices of a service are called. */
export interface IndexNames {
  /** The index of a month's records: those measured then, in UTC. Unix seconds. */
  of(ts: number): string;
  /** When the month of an index is over, in milliseconds since 1970. */
  endOf(index: string): number;
  /** All indices. */
  readonly all: string;
  /** The alias that people may use. */
  readonly alias: string;
  /** All indices, whatever version of the mapping they have. */
  readonly allVersions: string;
  /** The indices of months that a range of Unix seconds touches, both included; `all` where an end is open or there are many. */
  between(from: number | null, to: number | null): string;
}

/** No record is measured later: the year 2100. Unix seconds. */
const latest = 4_102_444_800;
/** More months than this are named by their pattern. */
const maxMonths = 36;

/** The names that begin with a prefix. */
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

/** Such as `2026.11`. */
const monthOf = (ts: number): string => new Date(ts * 1000).toISOString().slice(0, 7).replace('-', '.');

const nextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
