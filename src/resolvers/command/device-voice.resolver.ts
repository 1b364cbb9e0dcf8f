import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { type Audience } from '#auth/audiences.js';
import { policies } from '#auth/policies.js';
import { type Fault, invalid, notFound } from '#common/errors.js';
import type { Downlink } from '#downlink/downlink.js';
import { RestOnly } from '#entities/columns.js';
import { HandedCommands } from '#entities/command.js';
import { DeviceStates, maxStateNames } from '#entities/device-state.js';
import { isId } from '#entities/id.js';
import { isStorableJson, unstorable } from '#entities/storable.js';
import type { Context } from '#schema/context.js';
import { Ingests } from '#schema/scope.js';
import { AnswerCommandArgs, ReportStateArgs, TakeCommandsArgs } from './command.args.js';
import { loadState, tooManyNames, valueFaults } from './state-values.js';

/** Milliseconds after which a device that took a command and did not answer gets it again. */
const again = 60_000;
/** Maximum size of a result or error, in characters of JSON. */
const maxResult = 4096;

/** Resolves what devices say and ask: for their commands, with answers to these, and with reports of their state. */
@Resolver()
export class DeviceVoiceResolver {
  constructor(private readonly downlink: Pick<Downlink, 'waitAndTake' | 'note' | 'report'>) {}

  @Ingests('device')
  @RestOnly()
  @Mutation(() => HandedCommands, {
    description:
      'Hands a device the commands that wait for it, in the order in which they were sent. If there are none, it waits for one. The device answers each; one without an answer is handed over again after a minute. HEAD hands nothing over.',
  })
  async takeCommands(
    @Args(() => TakeCommandsArgs) args: TakeCommandsArgs,
    @Ctx() ctx: Context,
  ): Promise<HandedCommands> {
    const device = await requireDevice(ctx, args, policies.command.speak);
    const how = { limit: args.limit ?? 10, again };
    return { commands: await this.downlink.waitAndTake(device, how, (args.wait ?? 0) * 1000, ctx.signal) };
  }

  @Ingests('device')
  @Mutation(() => Boolean, {
    description:
      "Stores a device's answer to a command: a result, or an error. The first answer counts; later ones are kept as evidence.",
  })
  async answerCommand(@Args(() => AnswerCommandArgs) args: AnswerCommandArgs, @Ctx() ctx: Context): Promise<boolean> {
    const { commandId: id, result, error } = args;
    if (result != null && error != null) throw invalid([{ path: 'error', message: 'must not come with a result' }]);
    const detail = error == null ? { result: result ?? null } : { error };
    if (JSON.stringify(detail).length > maxResult)
      throw invalid([
        { path: error == null ? 'result' : 'error', message: `must have at most ${maxResult} characters of JSON` },
      ]);
    if (!isStorableJson(detail)) throw invalid([{ path: error == null ? 'result' : 'error', message: unstorable }]);
    const { id: deviceId } = await requireDevice(ctx, args, policies.command.speak);
    const code = error == null ? null : 'DEVICE_ERROR';
    const isKnown =
      isId(id) && (await this.downlink.note({ id, deviceId }, { source: 'device', kind: 'answered', code, detail }));
    if (!isKnown) throw notFound('command');
    return true;
  }

  @Ingests('device')
  @Mutation(() => DeviceStates, {
    description:
      'Stores what a device says of its state. A desired value is settled once the device reports it, or another value for its version.',
  })
  async reportState(@Args(() => ReportStateArgs) args: ReportStateArgs, @Ctx() ctx: Context): Promise<DeviceStates> {
    const { reported, versions } = args;
    const faults = [...valueFaults('reported', reported), ...versionFaults(versions ?? {}, reported)];
    if (faults.length > 0) throw invalid(faults);
    const device = await requireDevice(ctx, args, policies.deviceState.report);
    const reports = Object.entries(reported).map(([name, value]) => ({
      name,
      value,
      version: (versions?.[name] ?? null) as number | null,
    }));
    const count = await this.downlink.report(device, reports, maxStateNames);
    if (count > maxStateNames) throw tooManyNames('reported', count);
    return { state: await loadState(ctx, device.id) };
  }
}

const versionFaults = (versions: Record<string, unknown>, reported: Record<string, unknown>): Fault[] =>
  Object.entries(versions).flatMap(([name, version]): Fault[] => {
    const path = `versions.${name}`;
    if (!Object.hasOwn(reported, name)) return [{ path, message: 'names no reported value' }];
    return Number.isInteger(version) && (version as number) >= 0 && (version as number) < 2 ** 31
      ? []
      : [{ path, message: 'must be a whole number' }];
  });

/**
 * Checks that the caller may speak for the device: it is the device, or an owner or a token that posts records for all.
 * @throws notFound
 */
async function requireDevice(
  ctx: Context,
  { organizationId, deviceId: id }: { organizationId: string; deviceId: string },
  audience: Audience<'organization'>,
): Promise<{ id: string; organizationId: string }> {
  authorize(ctx, organizationId, audience);
  const own = ctx.caller.deviceId;
  const [device] =
    isId(id) && (own === null || own === id)
      ? await ctx.read<{ id: string }>(
          sql`select id from device where organization_id = ${organizationId} and id = ${id}`,
        )
      : [];
  if (device === undefined) throw notFound('device');
  return { id, organizationId };
}
