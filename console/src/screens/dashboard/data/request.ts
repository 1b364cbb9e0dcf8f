import {
  type GroupLineFragment,
  GroupLineFragmentDoc,
  type PanelDeviceFragment,
  PanelDeviceFragmentDoc,
  type PanelLineFragment,
  PanelLineFragmentDoc,
  type PanelNewestFragment,
  PanelNewestFragmentDoc,
  type PanelPlaceFragment,
  PanelPlaceFragmentDoc,
  type PanelStatesFragment,
  PanelStatesFragmentDoc,
  type PanelValueFragment,
  PanelValueFragmentDoc,
  type SeriesFunction,
} from '../../../api/documents.js';
import { isWall } from '../../../api/session.js';
import type { CalendarUnit } from '../../../format/compare.js';
import type { Ends } from '../../../format/range.js';
import { zone } from '../../../format/time.js';
import type { Aggregate, Choice, Combination, Split } from '../document.js';
import type { Devices, Reader } from './answer.js';
import { type DeviceParts, filterOf, linkedDevices, listedDevices } from './device-parts.js';
import type { SearchAnswer } from './search.js';

/** Columns of values over time, by the kind of data. */
interface ColumnsOf {
  readonly lines: PanelLineFragment;
  readonly newest: PanelNewestFragment;
  readonly states: PanelStatesFragment;
}

/** A device with the lines of a function, in the order of the answer. */
export type DeviceLines = PanelDeviceFragment & { readonly lines: readonly PanelLineFragment[] };
export type DeviceStates = PanelDeviceFragment & { readonly lines: readonly PanelStatesFragment[] };
export type DeviceNewest = PanelDeviceFragment & { readonly lines: readonly PanelNewestFragment[] };
export type DeviceValues = PanelDeviceFragment & {
  readonly lastRecordAt: string | null;
  readonly latest: readonly PanelValueFragment[];
};
export type DevicePlace = PanelDeviceFragment & PanelPlaceFragment;

/** Thrown for a panel that exceeds the limits of the request. */
export class TooMuch extends Error {}

/** Maximum number of devices that are read for one choice, by the kind of data. */
const mostDevices = { lines: 30, states: 100, newest: 1000, values: 100, places: 500 } as const;

/** The smallest number of points that the service accepts. */
const fewestPoints = 3;

/** Significant digits of the values of lines. Charts show five, and whole numbers as they are. */
const digits = 5;

/** The server's limits, with room for the rest of the request. */
const limits = { aliases: 28, groups: 22, variables: 20, points: 45_000, listed: 18_000, queries: 90 } as const;

const fragments = {
  lines: [PanelLineFragmentDoc],
  states: [PanelStatesFragmentDoc],
  newest: [PanelNewestFragmentDoc],
  values: [PanelValueFragmentDoc],
  places: [PanelPlaceFragmentDoc],
} as const;

interface Lines {
  readonly alias: string;
  /** Function of lines; undefined for states. */
  readonly function: SeriesFunction | undefined;
  readonly points: number;
  readonly variables: Set<string>;
}

interface Group {
  readonly alias: string;
  readonly part: keyof typeof mostDevices;
  readonly choice: Choice;
  readonly limit: number;
  readonly lines: Lines[];
}

/** Lines over many devices. Without `points` and `calendarInterval`, the range is one number. */
export interface GroupForm {
  readonly variable: string;
  readonly perDevice: Aggregate;
  readonly combine: Combination | 'spread';
  readonly split?: Split;
  readonly points?: number;
  readonly calendarInterval?: CalendarUnit;
  /** Another range than that of the request. */
  readonly ends?: Ends;
}

interface GroupLines extends GroupForm {
  readonly alias: string;
  readonly choice: Choice;
}

/**
 * The one request of a screen with panels. Panels that read the same devices share a part of it, and all searches are
 * one part.
 */
export class PanelRequest {
  private readonly groups = new Map<string, Group>();
  private readonly queries: object[] = [];
  private readonly groupLines = new Map<string, GroupLines>();
  private readonly parts: DeviceParts = isWall ? linkedDevices : listedDevices;
  private aliases = 0;

  /** Requests a variable's lines of devices. */
  lines(choice: Choice, variable: string, fn: SeriesFunction, points: number): Reader<Devices<DeviceLines>> {
    return this.columns('lines', choice, variable, points, fn);
  }

  /** Requests the newest value of a variable of each device in the range. */
  newest(choice: Choice, variable: string): Reader<Devices<DeviceNewest>> {
    return this.columns('newest', choice, variable, fewestPoints, 'last');
  }

  /** Requests a variable's states of devices. */
  states(choice: Choice, variable: string, points: number): Reader<Devices<DeviceStates>> {
    return this.columns('states', choice, variable, points);
  }

  /** Requests the newest values of devices. */
  values(choice: Choice): Reader<Devices<DeviceValues>> {
    const group = this.part('values', choice);
    return (answer) => this.parts.read<DeviceValues>(answer, group);
  }

  /** Requests the locations of devices. */
  places(choice: Choice): Reader<Devices<DevicePlace>> {
    const group = this.part('places', choice);
    return (answer) => this.parts.read<DevicePlace>(answer, group);
  }

  /** Requests lines over all devices of a choice together. */
  group(choice: Choice, form: GroupForm): Reader<readonly GroupLineFragment[]> {
    const key = JSON.stringify([choice, form]);
    let found = this.groupLines.get(key);
    if (found === undefined) {
      this.count();
      found = { ...form, choice, alias: `g${this.groupLines.size}` };
      this.groupLines.set(key, found);
    }
    const { alias } = found;
    return ({ data, refusals }) => {
      const refusal = refusals.get(alias);
      if (refusal !== undefined) throw refusal;
      return (data[alias] as { groupSeries: readonly GroupLineFragment[] }).groupSeries;
    };
  }

  /** Requests the result of a query in the search language. */
  search(query: object): Reader<SearchAnswer> {
    if (this.queries.length >= limits.queries) throw new TooMuch();
    const index = this.queries.push({ products: [], ...query }) - 1;
    return ({ data, refusals }) => {
      const refusal = refusals.get('application');
      if (refusal !== undefined) throw refusal;
      const { search } = data['application'] as { search: { responses: SearchAnswer[] } };
      const response = search.responses[index]!;
      if (response.error !== undefined) throw new Error(response.error.reason ?? 'The search was refused.');
      return response;
    };
  }

  /** Whether the request is empty. */
  get isEmpty(): boolean {
    return this.groups.size + this.groupLines.size + this.queries.length === 0;
  }

  /** Returns the text of the request and its variables. */
  build(organizationId: string, applicationId: string, from: number, to: number) {
    const groups = [...this.groups.values()];
    const searches = this.queries.length > 0;
    const lines = [...this.groupLines.values()];
    const used = new Set(groups.flatMap(({ part }) => [PanelDeviceFragmentDoc, ...fragments[part]]).map(String));
    if (lines.length > 0) used.add(String(GroupLineFragmentDoc));
    const takesApplication =
      searches || lines.length > 0 || (this.parts.takesApplication && groups.some(({ choice }) => !choice.devices));
    const text = `query Panels($organizationId: ID!, ${[
      ...(takesApplication ? ['$applicationId: ID!'] : []),
      ...(searches ? ['$ts: LocatedJSON!, $queries: LocatedJSON!'] : []),
      ...(lines.length > 0 || groups.some((group) => group.lines.length > 0) ? ['$from: UnixTime, $to: UnixTime'] : []),
      ...lines.map(
        ({ alias, ends }) =>
          `$${alias}: DeviceFilterInput${ends === undefined ? '' : `, $${alias}from: UnixTime, $${alias}to: UnixTime`}`,
      ),
      ...groups.map((group) => this.parts.declare(group)),
    ].join(', ')}) {
${groups.map((group) => this.parts.text(group, fieldsOf(group, this.share(group)))).join('\n')}
${lines.map(textOfLines).join('\n')}
${searches ? 'application(organizationId: $organizationId, applicationId: $applicationId) { search(ts: $ts, queries: $queries) { responses } }' : ''}
}
${[...used].join('\n')}`;
    const variables: Record<string, unknown> = { organizationId, applicationId, from, to };
    for (const { alias, choice, ends } of lines) {
      variables[alias] = filterOf(choice);
      if (ends !== undefined) Object.assign(variables, { [`${alias}from`]: ends.from, [`${alias}to`]: ends.to });
    }
    if (searches) Object.assign(variables, { ts: { gte: from, lte: to }, queries: this.queries });
    for (const group of groups) Object.assign(variables, this.parts.variables(group, applicationId));
    return { text, variables };
  }

  /** Returns the part of the wanted points that the limits leave to a group. */
  private share({ limit, lines }: Group): number {
    const wanted = (of: Group) =>
      of.limit * of.lines.reduce((sum, { points, variables }) => sum + points * variables.size, 0);
    const all = [...this.groups.values()].reduce((sum, group) => sum + wanted(group), 0);
    const own = limit * Math.max(1, ...lines.map(({ points, variables }) => points * variables.size));
    // The service counts one object for each 20 values of a list. A line has two lists: one object per 10 points.
    return Math.min(1, limits.points / own, (limits.listed * 10) / Math.max(1, all));
  }

  private columns<Part extends keyof ColumnsOf>(
    part: Part,
    choice: Choice,
    variable: string,
    points: number,
    fn?: SeriesFunction,
  ): Reader<Devices<PanelDeviceFragment & { readonly lines: readonly ColumnsOf[Part][] }>> {
    const group = this.part(part, choice);
    let lines = group.lines.find(
      (one) =>
        one.function === fn &&
        one.points === points &&
        (one.variables.has(variable) || one.variables.size < limits.variables),
    );
    if (lines === undefined) {
      this.count(this.parts.count(choice));
      lines = { alias: `s${group.lines.length}`, function: fn, points, variables: new Set() };
      group.lines.push(lines);
    }
    lines.variables.add(variable);
    const { alias } = lines;
    return (answer) => {
      const { items, total } = this.parts.read<PanelDeviceFragment>(answer, group);
      const linesOf = (device: object) =>
        (device as Record<string, readonly ColumnsOf[Part][]>)[alias]!.filter(({ name }) => name === variable);
      return { total, items: items.map((device) => ({ ...device, lines: linesOf(device) })) };
    };
  }

  private part(part: Group['part'], choice: Choice): Group {
    const key = JSON.stringify([part, choice]);
    const found = this.groups.get(key);
    if (found !== undefined) return found;
    if (this.groups.size >= limits.groups) throw new TooMuch();
    this.count(this.parts.count(choice));
    const limit = choice.devices?.length ?? mostDevices[part];
    const group = { alias: `d${this.groups.size}`, part, choice, limit, lines: [] };
    this.groups.set(key, group);
    return group;
  }

  private count(by = 1): void {
    if (this.aliases + by > limits.aliases) throw new TooMuch();
    this.aliases += by;
  }
}

const textOfLines = ({
  alias,
  choice: _choice,
  variable,
  points,
  calendarInterval,
  ends,
  ...rest
}: GroupLines): string => {
  const { perDevice, combine, split = 'none' } = rest;
  const buckets =
    calendarInterval !== undefined
      ? `, calendarInterval: ${calendarInterval}, timeZone: ${JSON.stringify(zone.value)}`
      : points !== undefined
        ? `, points: ${points}`
        : '';
  const [from, to] = ends === undefined ? ['$from', '$to'] : [`$${alias}from`, `$${alias}to`];
  const asked = `filter: $${alias}, variable: ${JSON.stringify(variable)}, from: ${from}, to: ${to}, perDevice: ${perDevice}, combine: ${combine}, split: ${split}${buckets}`;
  return `${alias}: application(organizationId: $organizationId, applicationId: $applicationId) { groupSeries(${asked}) { ...GroupLine } }`;
};

const fieldsOf = ({ part, lines }: Group, share: number): string => {
  const columns = lines.map(({ alias, function: fn, points, variables }) => {
    const count = points === fewestPoints ? points : Math.max(10, Math.floor(points * share));
    const asked = `variables: ${JSON.stringify([...variables])}, from: $from, to: $to, points: ${count}`;
    if (fn === undefined) return `${alias}: states(${asked}) { ...PanelStates }`;
    if (part === 'newest') return `${alias}: series(${asked}, function: ${fn}) { ...PanelNewest }`;
    return `${alias}: series(${asked}, function: ${fn}, digits: ${digits}) { ...PanelLine }`;
  });
  if (part === 'values') columns.push('lastRecordAt latest { ...PanelValue }');
  if (part === 'places') columns.push('...PanelPlace');
  return `...PanelDevice ${columns.join(' ')}`;
};
