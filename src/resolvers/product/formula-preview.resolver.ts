import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { loadDevice, loadProduct } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { invalid } from '#common/errors.js';
import { FormulaPreview, type PreviewedRecord } from '#entities/formula-preview.js';
import type { DeviceRecord } from '#entities/record.js';
import { valueOfName } from '#json/key-path.js';
import { timeoutRefusal } from '#listing/list-read.js';
import { AttributeHistory, type AttributeReader, type Version, versionsFor } from '#records/derive/attribute.js';
import { compileDerivation, type Derivation } from '#records/derive/derivation.js';
import { underive } from '#records/derive/derive.js';
import { comparePositions, Past } from '#records/derive/past.js';
import type { RecordIndex } from '#records/record-index.js';
import type { Context } from '#schema/context.js';
import { Costs } from '#schema/cost.js';
import { PreviewFormulasArgs } from './formula-preview.args.js';
import { derivedFaults } from './product-faults.js';

/** Number of records before the shown ones that formulas may read. */
const earlierRecords = 20;
/** Timeout of reading the records, in milliseconds. */
const timeoutMs = 10_000;

/** Resolves what derived variables would be, without storing anything. */
@Resolver()
export class FormulaPreviewResolver {
  constructor(private readonly index: Pick<RecordIndex, 'list'>) {}

  @Costs(100)
  @Query(() => FormulaPreview, {
    description:
      'Computes derived variables for the newest records of a device, without storing anything. Faults of formulas are in the answer. Costs 100 objects.',
  })
  async previewFormulas(
    @Args(() => PreviewFormulasArgs) { derived, limit, ...args }: PreviewFormulasArgs,
    @Ctx() ctx: Context,
  ): Promise<FormulaPreview> {
    const { variables, settings, ...product } = await loadProduct(ctx, args, policies.product.read);
    const own = { organizationId: ctx.caller.organizationId, deviceId: args.deviceId };
    const device = await loadDevice(ctx, own, policies.device.read);
    if (device.productId !== product.id)
      throw invalid([{ path: 'deviceId', message: 'must be a device of the product' }]);
    const faults = derivedFaults(derived, variables);
    const derivation = compileDerivation(variables, faults.some(({ path }) => path.endsWith('.name')) ? [] : derived);
    // Formulas that read earlier records know the shown ones and some before.
    const read = await this.newest(ctx, device.id, limit + (derivation.earlier ? earlierRecords : 0));
    const records = read.slice(0, limit);
    const versions = versionsFor(records.map(({ ts }) => ({ deviceId: device.id, ts, names: derivation.attributes })));
    const attributes = new AttributeHistory(versions === undefined ? [] : await ctx.read<Version>(versions));
    const computed = [...(settings.derived ?? []), ...derived].map(({ name }) => name);
    const pasts = pastsOf(read, derivation, computed);
    return {
      faults: faults.map(({ path, message, at }) => ({ index: indexIn(path), message, at: at ?? null })),
      records: records.map((record) =>
        previewOf(record, {
          derivation,
          computed,
          attribute: attributes.at(device.id, record.ts),
          past: pasts.get(record.id),
        }),
      ),
    };
  }

  /** Reads the newest records, the newest first. */
  private async newest(ctx: Context, deviceId: string, limit: number): Promise<DeviceRecord[]> {
    const request = {
      parent: 'device',
      parentIds: [deviceId],
      order: 'newestFirst',
      limit,
      page: 1,
      timeoutMs,
    } as const;
    const [page] = await this.index.list(ctx, request).catch((error: unknown) => {
      throw timeoutRefusal(error, timeoutMs);
    });
    return page?.records ?? [];
  }
}

/** Returns the index in the path of a fault. */
const indexIn = (path: string): number | null => {
  const [index] = /\d+/.exec(path) ?? [];
  return index === undefined ? null : Number(index);
};

/** Returns the past of each record, by its identifier, as far as the records tell. */
const pastsOf = (
  records: readonly DeviceRecord[],
  { earlier }: Derivation,
  computed: readonly string[],
): ReadonlyMap<string, Past> => {
  const pasts = new Map<string, Past>();
  if (earlier === undefined) return pasts;
  const past = new Past();
  for (const record of records.toSorted(comparePositions)) {
    pasts.set(record.id, new Past(past.newest, past.entries()));
    past.add(record, earlier.measured(underive(record, computed).data));
  }
  return pasts;
};

interface PreviewOf {
  derivation: Derivation;
  /** Names of variables that the record may have from formulas. */
  computed: readonly string[];
  attribute: AttributeReader;
  past: Past | undefined;
}

const previewOf = (record: DeviceRecord, { derivation, computed, attribute, past }: PreviewOf): PreviewedRecord => {
  const { data } = underive(record, computed);
  const { values, absent } = derivation.compute(data, attribute, past, record.ts);
  const inputs = [
    ...derivation.inputs.map((name) => [name, valueOfName(data, name)] as const),
    ...derivation.attributes.map((name) => [`device.${name}`, attribute(name)] as const),
    ...(derivation.earlier?.names ?? []).map((name) => [`previous(${name})`, past?.value(name)] as const),
    ...(derivation.earlier?.readsElapsed ? [['elapsed()', past?.elapsed(record.ts)] as const] : []),
  ];
  const reasons = new Map(absent.map(({ variable, ...reason }) => [variable, reason]));
  return {
    recordId: record.id,
    ts: record.ts,
    inputs: Object.fromEntries(inputs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    values: derivation.names.map((name) => ({ name, value: values[name], ...reasons.get(name) })),
  };
};
