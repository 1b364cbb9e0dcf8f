import { createHash } from 'node:crypto';
import { GraphQLJSON } from 'graphql-scalars';
import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { notFound } from '#common/errors.js';
import type { Downlink } from '#downlink/downlink.js';
import type { Network } from '#downlink/network/network.js';
import type { ExactJson } from '#entities/exact-json.js';
import { isId } from '#entities/id.js';
import { IngestAnswer } from '#entities/ingest-answer.js';
import type { PlainJson } from '#json/json.js';
import { type Item, Rejection, rejectionError } from '#records/item.js';
import { type OneDevice, readNative } from '#records/record-body.js';
import type { RecordLog } from '#records/record-log.js';
import { remarkOf } from '#records/remark.js';
import { readChirpStackEvent } from '#records/sources/chirpstack.js';
import { readAcknowledgement, readDownlinkRequest, readSigfox } from '#records/sources/sigfox.js';
import { storable } from '#records/sources/source.js';
import { readTheThingsStack } from '#records/sources/the-things-stack.js';
import { isGatewayForm, readThingsBoard } from '#records/sources/thingsboard.js';
import type { Context } from '#schema/context.js';
import { Ingests } from '#schema/scope.js';
import {
  IngestArgs,
  IngestChirpStackArgs,
  IngestDeviceRecordsArgs,
  IngestRecordsArgs,
  IngestTheThingsStackArgs,
  IngestThingsBoardArgs,
} from './record.args.js';

/** Resolves ingestion: records in the platform's own format, and bodies of network servers. */
@Resolver()
export class RecordResolver {
  constructor(
    private readonly records: Pick<RecordLog, 'append'>,
    private readonly downlink: Pick<Downlink, 'answerSigfox' | 'noteSigfox'>,
    private readonly network: Pick<Network, 'hear'>,
  ) {}

  @Ingests()
  @Mutation(() => IngestAnswer, {
    description: 'Stores records. Items that it reports as accepted are committed, with their deliveries.',
  })
  ingestRecords(@Args(() => IngestRecordsArgs) args: IngestRecordsArgs, @Ctx() ctx: Context): Promise<IngestAnswer> {
    const items = readNative(args.records);
    authorize(ctx, args.organizationId, policies.record.ingest);
    return this.store(ctx, args, 'records', items);
  }

  @Ingests('device')
  @Mutation(() => IngestAnswer, {
    description:
      'Stores records of one device, without its serial number in each. A token of the device may do only this.',
  })
  async ingestDeviceRecords(
    @Args(() => IngestDeviceRecordsArgs) args: IngestDeviceRecordsArgs,
    @Ctx() ctx: Context,
  ): Promise<IngestAnswer> {
    const { organizationId, deviceId } = args;
    authorize(ctx, organizationId, policies.record.ingest);
    const own = ctx.caller.deviceId;
    const [device] =
      isId(deviceId) && (own === null || own === deviceId)
        ? await ctx.read<OneDevice>(sql`
            select id, serial_key as "serialKey" from device where organization_id = ${organizationId} and id = ${deviceId}`)
        : [];
    if (device === undefined) throw notFound('device');
    return this.store(ctx, args, `devices/${deviceId}/records`, readNative(args.records, device));
  }

  @Ingests()
  @Mutation(() => Boolean, {
    description:
      'Stores an uplink, a location or a join of The Things Stack v3; returns false for other events. Events about downlinks are evidence for commands.',
  })
  async ingestTheThingsStack(
    @Args(() => IngestTheThingsStackArgs) args: IngestTheThingsStackArgs,
    @Ctx() ctx: Context,
  ): Promise<boolean> {
    const { organizationId, downlinkPush: push, downlinkApiKey: apiKey } = args;
    const body = bodyOf(args);
    const isStored = await this.ingest(ctx, organizationId, body, readTheThingsStack);
    const downlink = push && apiKey ? { push, apiKey } : undefined;
    await this.network.hear({ organizationId, kind: 'THE_THINGS_STACK', body, downlink }, isStored);
    return isStored;
  }

  @Ingests()
  @Mutation(() => Boolean, {
    description:
      'Stores an uplink, a status or a location of ChirpStack v4; returns false for other events. Events about downlinks are evidence for commands.',
  })
  async ingestChirpStack(
    @Args(() => IngestChirpStackArgs) args: IngestChirpStackArgs,
    @Ctx() ctx: Context,
  ): Promise<boolean> {
    const { organizationId } = args;
    const event = args.event ?? 'up';
    const body = bodyOf(args);
    const isStored = await this.ingest(ctx, organizationId, body, readChirpStackEvent(event));
    await this.network.hear({ organizationId, kind: 'CHIRPSTACK', body, event }, isStored);
    return isStored;
  }

  @Ingests()
  @Mutation(() => GraphQLJSON, {
    description:
      'Stores a message of Sigfox. If it asks for a downlink and a command waits, returns the answer for Sigfox; else true, or false for callbacks without data.',
  })
  async ingestSigfox(@Args(() => IngestArgs) args: IngestArgs, @Ctx() ctx: Context): Promise<boolean | object> {
    const { organizationId } = args;
    const body = bodyOf(args);
    const isStored = await this.ingest(ctx, organizationId, body, readSigfox);
    const acknowledgement = isStored ? undefined : readAcknowledgement(body);
    if (acknowledgement !== undefined) {
      const { serials, time, isSent, code, detail } = acknowledgement;
      const kind = isSent === undefined ? 'noted' : isSent ? 'transmitted' : 'failed';
      await this.downlink.noteSigfox({ organizationId, serials, time, evidence: { kind, code, detail } });
    }
    const request = readDownlinkRequest(body);
    const downlinkData = request && (await this.downlink.answerSigfox({ organizationId, ...request }));
    return downlinkData === undefined ? isStored : { [request!.device]: { downlinkData } };
  }

  @Ingests()
  @Mutation(() => Boolean, { description: 'Stores telemetry in the format of ThingsBoard devices.' })
  ingestThingsBoard(
    @Args(() => IngestThingsBoardArgs) args: IngestThingsBoardArgs,
    @Ctx() ctx: Context,
  ): Promise<boolean> {
    ctx.note({ serial: args.serial.slice(0, 200) });
    const read = (body: PlainJson) => readThingsBoard(body, args.serial);
    const body = bodyOf(args);
    return this.ingest(ctx, args.organizationId, body, read, isGatewayForm(body) ? 'all' : 'any');
  }

  /**
   * Stores the valid items of a call in the platform's own format.
   * @param path path that an idempotency key applies to.
   */
  private async store(
    { traceparent }: Context,
    { organizationId, records, verbose, idempotencyKey: key }: IngestRecordsArgs,
    path: string,
    items: readonly (Item | Rejection)[],
  ): Promise<IngestAnswer> {
    const { accepted, duplicates, rejected, results } = await this.records.append({
      organizationId,
      items,
      traceparent,
      verbose: verbose === true,
      ...(key && { idempotencyKey: { organizationId, path, key, bodyHash: hashOf(records) } }),
    });
    return { accepted, duplicates, rejected, results: [...results] };
  }

  /**
   * Stores the items of a body. Returns whether there were any.
   * @param refusedIf whether one rejected item refuses the body, or only all together
   */
  private async ingest(
    ctx: Context,
    organizationId: string,
    body: PlainJson,
    read: (body: PlainJson, onSerial: (serial: string) => void) => (Item | Rejection)[],
    refusedIf: 'any' | 'all' = 'any',
  ): Promise<boolean> {
    const items = read(body, (serial) => ctx.note({ serial: serial.slice(0, 200) }));
    authorize(ctx, organizationId, policies.record.ingest);
    if (items.length === 0) return false;
    const { traceparent } = ctx;
    const call = { organizationId, items, traceparent, refusedIf };
    const result = await this.records.append(call).catch((error: unknown) => {
      throw error instanceof Rejection ? rejectionError(error) : error;
    });
    const rejected = remarkOf(result, items.length);
    if (rejected !== undefined) ctx.note({ rejected });
    return true;
  }
}

/** Returns the body of a network server as it can be stored. */
const bodyOf = ({ body }: IngestArgs): PlainJson => storable(body as PlainJson);

/** Returns a hash of a body's values, regardless of white space. */
const hashOf = (body: ExactJson): Buffer => createHash('sha256').update(JSON.stringify(body)).digest();
