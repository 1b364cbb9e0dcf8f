import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { GraphOnly } from '#entities/columns.js';
import { Device } from '#entities/device.js';
import { measuredValue } from '#entities/measured-value.js';
import { Product, type Variable } from '#entities/product.js';
import { DeviceRecord, RecordValue } from '#entities/record.js';
import { applicationsOfDevice } from '#listing/applications.js';
import { loadDeviceById } from '#listing/devices.js';
import { productOf, variablesOf } from '#listing/products.js';
import { recordsBelow } from '#listing/records.js';
import type { RecordIndex } from '#records/record-index.js';
import { fittingValue } from '#records/typed-data.js';
import type { Context } from '#schema/context.js';
import { Counted } from '#schema/cost.js';
import { RecordsBelowArgs, SearchablePageArgs } from '#schema/list.args.js';
import { ApplicationPage, RecordPage } from '#schema/pages.js';
import { type SelectedFields, SelectedNames } from '#schema/selected-fields.js';

/** Resolves the records of devices. */
@Resolver(() => Device)
export class DeviceRecordsResolver {
  constructor(private readonly index: Pick<RecordIndex, 'list'>) {}

  @FieldResolver(() => RecordPage, {
    description: 'Records of the device, the newest measured first; `sort: "ts"` for the oldest first.',
  })
  @GraphOnly()
  records(
    @Root() { id }: Device,
    @Args(() => RecordsBelowArgs) args: RecordsBelowArgs,
    @Ctx() ctx: Context,
  ): Promise<RecordPage> {
    return recordsBelow(ctx, this.index, 'device', id, args);
  }
}

/** Resolves the origin of records, and the meaning of their values. */
@Resolver(() => DeviceRecord)
export class RecordEdgesResolver {
  @FieldResolver(() => Device, { nullable: true, description: 'Device that sent the record, in its present state.' })
  device(@Root() { deviceId }: DeviceRecord, @Ctx() ctx: Context): Promise<Device | null> {
    return loadDeviceById(ctx, deviceId);
  }

  @FieldResolver(() => Product, { nullable: true, description: 'Product of the device when the record was stored.' })
  product(
    @Root() { productId }: DeviceRecord,
    @SelectedNames() selected: SelectedFields,
    @Ctx() ctx: Context,
  ): Promise<Product | null> {
    return productOf(ctx, productId, selected);
  }

  @FieldResolver(() => ApplicationPage, {
    description: "Linked applications of the record's device that the caller can read.",
  })
  applications(
    @Root() { deviceId }: DeviceRecord,
    @Args(() => SearchablePageArgs) args: SearchablePageArgs,
    @Ctx() ctx: Context,
  ): Promise<ApplicationPage> {
    return applicationsOfDevice(ctx, deviceId, args);
  }

  @Counted(({ data }: DeviceRecord) => Object.keys(data).length)
  @FieldResolver(() => [RecordValue], {
    description:
      'Values of the record by name, each with its type and unit. A name with the value null is only in `data`.',
  })
  async values(@Root() { productId, data }: DeviceRecord, @Ctx() ctx: Context): Promise<RecordValue[]> {
    const variables = new Map((await variablesOf(ctx, productId)).map((variable) => [variable.name, variable]));
    return Object.keys(data)
      .filter((name) => data[name] !== null)
      .sort()
      .map((name) => valueOf(name, data[name]!, variables.get(name)));
  }
}

function valueOf(name: string, value: RecordValue['value'], variable: Variable | undefined): RecordValue {
  if (variable === undefined) return { name, value, typed: measuredValue(value) };
  const { type, unit } = variable;
  const fitting = fittingValue(type, value);
  return { name, type, unit: unit ?? null, value, typed: fitting === undefined ? null : measuredValue(fitting, type) };
}
