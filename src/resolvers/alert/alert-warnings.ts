import sql from 'sql-template-tag';
import { comparisonsOf, shortName, variableValue } from '#alerts/condition.js';
import { textArray } from '#database/text-array.js';
import { AlertKind, type AlertRule } from '#entities/alert-rule.js';
import type { ListedRecord, RecordIndex } from '#records/record-index.js';
import { settingsFor, variablesFor } from '#records/scope/variable.js';
import type { Context } from '#schema/context.js';

/** Numbers of devices and of records of each that are looked at. */
const devicesRead = 20;
const recordsRead = 21;
/** Minimum number of intervals that show how often a device sends. */
const enough = 3;
/** Time for reading records in one call, in milliseconds. Rules without an answer in time get no warnings. */
const timeoutMs = 2000;

/** The devices of a scope: the newest records of each that has any, and the names that their products declare. */
interface Watched {
  readonly devices: readonly (readonly ListedRecord[])[];
  readonly declared: ReadonlySet<string>;
}

/** Says what rules that were saved cannot do, by the newest records of their devices. */
export class RuleWarnings {
  private readonly until = performance.now() + timeoutMs;
  /** Readings by scope: many rules of one call watch the same devices. */
  private readonly readings = new Map<string, Promise<Watched>>();

  constructor(
    private readonly ctx: Context,
    private readonly index: Pick<RecordIndex, 'list'>,
  ) {}

  /** Returns the warnings of a rule, in the order of its fields. */
  async of(rule: AlertRule): Promise<string[]> {
    if (rule.kind === AlertKind.unsettled) return this.unknownState(rule);
    const scope = JSON.stringify([rule.applicationId, rule.products, rule.tags, rule.sites]);
    const reading = this.readings.get(scope) ?? this.read(rule);
    this.readings.set(scope, reading);
    const watched = await reading;
    return [...unknownNames(rule, watched), ...shortGap(rule, watched)];
  }

  /** Warns of a name that neither a product of the devices declares, nor any of their states has. */
  private async unknownState({ applicationId, stateName }: AlertRule): Promise<string[]> {
    if (stateName === null) return [];
    const found = await this.ctx.read(sql`
      select from application_device l join device d on d.id = l.device_id left join product p on p.id = d.product_id
       where l.application_id = ${applicationId} and (
         exists (select from device_state s where s.device_id = d.id and s.name = ${stateName})
         or ${settingsFor(sql`${this.ctx.caller.organizationId}::uuid`)} -> 'state' @> ${JSON.stringify([{ name: stateName }])}::jsonb)
       limit 1`);
    return found.length > 0 ? [] : [`No product declares the state \`${stateName}\`, and no device has it.`];
  }

  private async read({ applicationId, products, tags, sites }: AlertRule): Promise<Watched> {
    const { caller, signal } = this.ctx;
    const watched = await this.ctx.read<{ id: string; names: string[] }>(sql`
      select d.id, array(select v ->> 'name' from jsonb_array_elements(${variablesFor(sql`${caller.organizationId}::uuid`)}) v) names
        from application_device l join device d on d.id = l.device_id left join product p on p.id = d.product_id
       where l.application_id = ${applicationId} and alert_applies(${textArray(products)}, ${textArray(tags)}, ${textArray(sites)}, d.product_id, d.tags, d.id)
       order by l.created_at, d.id limit ${devicesRead}`);
    const timeLeft = () => Math.max(0, Math.floor(this.until - performance.now()));
    const parentIds = watched.map(({ id }) => id);
    const place = { parent: 'device', order: 'newestFirst', page: 1, limit: recordsRead } as const;
    const pages =
      parentIds.length === 0 || timeLeft() === 0
        ? []
        : await this.index
            .list(
              { caller, signal, weighRows: () => undefined, timeLeft },
              { ...place, parentIds, timeoutMs: timeLeft() },
            )
            .catch(() => []);
    return {
      devices: pages.map(({ records }) => records).filter((records) => records.length > 0),
      declared: new Set(watched.flatMap(({ names }) => names)),
    };
  }
}

/** Warns of variables that neither a record has nor a product declares. */
function unknownNames({ when, until, variable }: AlertRule, { devices, declared }: Watched): string[] {
  const compared = [...comparisonsOf(when), ...comparisonsOf(until)].map((comparison) => comparison.variable);
  const names = new Set([...compared, ...(variable === null ? [] : [variable])]);
  const isKnown = (name: string) =>
    declared.has(name) ||
    declared.has(shortName(name)) ||
    devices.some((records) => records.some(({ data }) => variableValue(data, name) !== undefined));
  return devices.length === 0
    ? []
    : [...names].flatMap((name) =>
        isKnown(name)
          ? []
          : `No product declares \`${name}\`, and the newest records of ${counted(devices.length)} lack it. Names match whole: \`temp\` is not \`temperature\`.`,
      );
}

/**
 * Warns of `for` that never passes: it begins again after each gap longer than `maxGap`, which is shorter than the usual
 * interval of the devices.
 */
function shortGap({ for: held, maxGap }: AlertRule, { devices }: Watched): string[] {
  if (held === 0) return [];
  const usual = devices.flatMap((records) => intervalOf(records.map(({ ts }) => ts)) ?? []);
  const rare = usual.filter((interval) => interval > maxGap);
  if (rare.length === 0) return [];
  const shortest = Math.round(Math.min(...rare));
  return [
    `\`for\` never passes for ${rare.length} of ${counted(usual.length)}: they send a record every ${shortest} s or less often, and it begins again after a gap of more than ${maxGap} s (\`maxGap\`). Make \`maxGap\` longer than their interval.`,
  ];
}

const counted = (devices: number): string => (devices === 1 ? '1 device' : `${devices} devices`);

/** Returns the median interval of records, the newest first, in seconds; undefined if there are too few. */
function intervalOf(times: readonly number[]): number | undefined {
  const intervals = times.slice(1).map((ts, index) => times[index]! - ts);
  return intervals.length < enough ? undefined : intervals.sort((a, b) => a - b)[Math.floor(intervals.length / 2)];
}
