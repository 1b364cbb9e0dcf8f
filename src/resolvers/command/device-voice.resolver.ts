import sql from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize } from '#auth/access.js';
import { type Audience } from '#auth/audiences.js';
import { policies } from '#auth/policies.js';
import { notFound } from '#common/errors.js';
import { readAnswer } from '#downlink/answer.js';
import type { Downlink } from '#downlink/downlink.js';
import { readReports, tooManyNames } from '#downlink/state-values.js';
import { RestOnly } from '#entities/columns.js';
import { AnsweredCommand, HandedCommands } from '#entities/command.js';
import { DeviceStates, maxStateNames } from '#entities/device-state.js';
import { isId } from '#entities/id.js';
import type { Context } from '#schema/context.js';
import { Ingests } from '#schema/scope.js';
import { AnswerCommandArgs, ReportStateArgs, TakeCommandsArgs } from './command.args.js';
import { loadState } from './load-state.js';

/** Milliseconds after which a device that took a command and did not answer gets it again. */
const again = 60_000;

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
  @Mutation(() => AnsweredCommand, {
    description:
      "Stores a device's answer to a command: a result, or an error. The first answer counts; later ones are kept as evidence.",
  })
  async answerCommand(
    @Args(() => AnswerCommandArgs) args: AnswerCommandArgs,
    @Ctx() ctx: Context,
  ): Promise<AnsweredCommand> {
    const { commandId } = args;
    const answer = readAnswer(args);
    const { id: deviceId } = await requireDevice(ctx, args, policies.command.speak);
    const state = isId(commandId) ? await this.downlink.note({ id: commandId, deviceId }, answer) : undefined;
    if (state === undefined) throw notFound('command');
    return { commandId, state };
  }

  @Ingests('device')
  @Mutation(() => DeviceStates, {
    description:
      'Stores what a device says of its state. A desired value is settled once the device reports it, or another value for its version.',
  })
  async reportState(@Args(() => ReportStateArgs) args: ReportStateArgs, @Ctx() ctx: Context): Promise<DeviceStates> {
    const reports = readReports(args.reported, args.versions ?? {});
    const device = await requireDevice(ctx, args, policies.deviceState.report);
    const count = await this.downlink.report(device, reports, maxStateNames);
    if (count > maxStateNames) throw tooManyNames('reported', count);
    return { state: await loadState(ctx, device.id) };
  }
}

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
