import { compareTexts } from '#records/answer/key.js';
import type { BoundKey } from '#search/hits/bound-sort.js';
import type { Cursor } from '#search/hits/search-after.js';
import { illegalArgument } from '#search/search-failure.js';
import type { EngineAnswer, EngineBucket, EngineHit, Part } from '../engine.js';
import { devicesIn } from './device-question.js';
import { type DeviceNow, type DeviceValues, textsOf } from './device-value.js';
import type { EngineFields } from './engine-field.js';
import { engineCursor, orderOfKeys } from './engine-sort.js';
import { hitParts } from './hit.js';
import { allOf, matchAll } from './query-part.js';

/** Maximum number of devices in an answer. */
const maxDevices = 65_535;

/** Devices with the same value of the first sort key. */
interface Group {
  readonly text: string | null;
  readonly numbers: number[];
}

/** Settings of a page of hits sorted by a current value of their device. */
export interface DevicePage {
  readonly keys: readonly BoundKey[];
  readonly from: number;
  readonly size: number;
  readonly cursor?: Cursor;
  /** Condition that all hits match. */
  readonly query: Part;
  readonly postFilter?: Part | undefined;
  readonly fields: EngineFields;
  readonly devices: DeviceValues;
}

/** A part of the page that one search returns. */
interface PagePart {
  readonly groups: readonly Group[];
  readonly from: number;
  readonly size: number;
  readonly isAfterCursor: boolean;
}

/**
 * Hits sorted by a current value of their device, which the engine does not know. The first request counts the matching
 * records of each device; the second reads the hits of those devices that fall on the page.
 */
export class DeviceSortedHits {
  private readonly rest: readonly BoundKey[];
  private readonly groups: readonly Group[];
  private parts: readonly PagePart[] = [];
  private found: readonly EngineHit[] = [];

  constructor(private readonly page: DevicePage) {
    const [first, ...rest] = page.keys as [BoundKey, ...BoundKey[]];
    this.rest = rest;
    const other = rest.find(({ field }) => field.ofDevice);
    if (other !== undefined)
      throw illegalArgument(
        `[${other.field.path}] can only be the first key of a sort of hits where records are on a cluster`,
      );
    this.groups = groupsOf(first, page.devices);
  }

  /** Builds the aggregation that counts the records of each device. */
  counts(name: string): Part {
    const { postFilter = matchAll } = this.page;
    return {
      [name]: {
        filter: postFilter,
        aggs: { devices: { terms: { field: 'dn', size: maxDevices, shard_size: maxDevices } } },
      },
    };
  }

  /** Builds the searches that follow once the records of each device are counted. */
  searches(counted: EngineBucket | undefined): readonly Part[] {
    const buckets = ((counted?.['devices'] as EngineBucket | undefined)?.['buckets'] ?? []) as readonly EngineBucket[];
    const counts = new Map(buckets.map(({ key, doc_count: count = 0 }) => [Number(key), count]));
    this.parts = this.partsOf(counts);
    const { query, postFilter, fields, cursor } = this.page;
    const order = this.rest.length === 0 ? [{ seq: 'asc' }] : orderOfKeys(this.rest, fields);
    return this.parts.map(({ groups, from, size, isAfterCursor }) => ({
      query: allOf([query, ...(postFilter ? [postFilter] : []), devicesIn(groups.flatMap(({ numbers }) => numbers))]),
      from,
      size,
      sort: order,
      track_total_hits: false,
      ...hitParts,
      docvalue_fields: [...hitParts.docvalue_fields, 'dn'],
      ...(isAfterCursor && { search_after: engineCursor(this.rest, cursor!.slice(1)) }),
    }));
  }

  /** Accepts the answers to {@link searches}. */
  take(answers: readonly EngineAnswer[]): void {
    const hits = answers.flatMap(({ hits: found }, index) => {
      const { groups } = this.parts[index]!;
      const textOf = new Map(groups.flatMap(({ text, numbers }) => numbers.map((number) => [number, text])));
      const byText = Map.groupBy(found?.hits ?? [], ({ fields }) => textOf.get(Number(fields?.['dn']?.[0])) ?? null);
      return groups.flatMap(({ text }) =>
        (byText.get(text) ?? []).map((hit) => ({ ...hit, sort: [text, ...(hit.sort ?? [])] })),
      );
    });
    this.found = hits.slice(0, this.page.size);
  }

  /** Hits of the page. */
  get hits(): readonly EngineHit[] {
    return this.found;
  }

  /**
   * Divides the page into searches. Groups that lie on the page as a whole share one search; the first and the last
   * group get their own.
   */
  private partsOf(counts: ReadonlyMap<number, number>): PagePart[] {
    const { cursor, size } = this.page;
    const parts: PagePart[] = [];
    let [skip, left] = [this.page.from, size];
    let whole: Group[] = [];
    let wholeSize = 0;
    const close = () => {
      if (wholeSize > 0) parts.push({ groups: whole, from: 0, size: wholeSize, isAfterCursor: false });
      whole = [];
      wholeSize = 0;
    };
    for (const group of this.groups) {
      if (left <= 0) break;
      const place = cursor === undefined ? 1 : comparing(this.page.keys[0]!)(group.text, cursor[0] as string | null);
      const count = group.numbers.reduce((sum, number) => sum + (counts.get(number) ?? 0), 0);
      if (place < 0 || count === 0) continue;
      if (place === 0) {
        // The number of records after the cursor is unknown.
        if (this.rest.length > 0) parts.push({ groups: [group], from: 0, size: left, isAfterCursor: true });
        continue;
      }
      if (skip >= count) {
        skip -= count;
        continue;
      }
      const taken = Math.min(count - skip, left);
      if (taken === count) {
        whole.push(group);
        wholeSize += count;
      } else {
        close();
        parts.push({ groups: [group], from: skip, size: taken, isAfterCursor: false });
      }
      skip = 0;
      left -= taken;
    }
    close();
    return parts;
  }
}

const groupsOf = (key: BoundKey, devices: DeviceValues): Group[] => {
  const groups = new Map<string | null, Group>();
  for (const device of devices.all) {
    const text = textOfKey(key, device);
    const group = groups.get(text) ?? { text, numbers: [] };
    group.numbers.push(device.number);
    groups.set(text, group);
  }
  const compare = comparing(key);
  return [...groups.values()].sort((a, b) => compare(a.text, b.text));
};

const textOfKey = ({ field, mode, missing }: BoundKey, device: DeviceNow): string | null => {
  const texts = [...textsOf(field, device)].sort(compareTexts);
  const text = mode === 'max' ? texts.at(-1) : texts[0];
  return text ?? (missing === undefined ? null : `${missing}`);
};

const comparing =
  ({ descending, missingFirst }: BoundKey) =>
  (a: string | null, b: string | null): number => {
    if (a === null || b === null) return a === b ? 0 : (a === null) === missingFirst ? -1 : 1;
    const difference = Buffer.compare(Buffer.from(a), Buffer.from(b));
    return descending ? -difference : difference;
  };
