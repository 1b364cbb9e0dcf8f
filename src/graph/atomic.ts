import { OperationTypeNode } from 'graphql';
import { ApiError, type Fault, invalid } from '#common/errors.js';
import { FairQueue } from '#scheduling/fair-queue.js';
import { rootFields, type SentOperation } from './batch.js';
import type { GraphContext } from './context.js';
import type { HttpAnswer } from './fast-path.js';
import { isUnresolved } from './persisted.js';

/**
 * Mutations that a batch can run as a whole, because their statements run in the unit of work. Other mutations store
 * records, start jobs or call hooks, each in its own transaction.
 */
const allowed: ReadonlySet<string> = new Set([
  'createProduct',
  'updateProduct',
  'deleteProduct',
  'createApplication',
  'updateApplication',
  'deleteApplication',
  'addApplicationDevice',
  'removeApplicationDevice',
  'createSite',
  'updateSite',
  'deleteSite',
  'createNetworkServer',
  'updateNetworkServer',
  'deleteNetworkServer',
  'createTeam',
  'updateTeam',
  'deleteTeam',
  'addTeamMember',
  'removeTeamMember',
  'setTeamApplication',
  'removeTeamApplication',
  'registerDevice',
  'updateDevice',
  'deleteDevice',
  'createApplicationHook',
  'updateApplicationHook',
  'deleteApplicationHook',
  'updateApplicationHookSettings',
  'putProducts',
  'putProductSettings',
  'setDeviceAttributes',
  'removeDeviceAttribute',
  'cancelCommands',
  'sendCommand',
  'setDesiredState',
  'declareMeterExchange',
  'removeMeterExchange',
  'putApplications',
  'putSites',
  'putDevices',
  'putHooks',
  'putAlertRules',
  'deleteAlertRule',
  'putTeams',
  'putTeamMembers',
  'putTeamApplications',
  'updateDashboard',
  'leaseConfiguration',
]);

/** Throws 422 when a batch that is to be done as a whole has an operation that cannot be part of a transaction. */
export function requireAtomic(operations: readonly SentOperation[]): void {
  const faults = operations.flatMap((sent, index): Fault[] => {
    // Apollo asks the client for the text, and that failure undoes the batch.
    if (isUnresolved(sent.body)) return [];
    if (sent.operation?.operation !== OperationTypeNode.MUTATION)
      return [{ path: `${index}`, message: 'must be a mutation in an atomic batch' }];
    const other = rootFields(sent).find(({ name }) => !allowed.has(name.value));
    return other === undefined
      ? []
      : [{ path: `${index}`, message: `must not be ${other.name.value} in an atomic batch` }];
  });
  if (faults.length > 0) throw invalid(faults);
}

/** Each transaction holds a connection of the unit of work, and the rows that it changed. */
const queue = new FairQueue({ turns: 4, each: 2, waiting: 100, what: 'atomic batches' });

export interface AtomicOptions {
  createContext: () => GraphContext;
  run: (operation: unknown, context: GraphContext) => Promise<HttpAnswer>;
}

/**
 * Runs mutations in one transaction, one after the other. The first that fails undoes all, and its answer says why; the
 * answers of the others name it.
 */
export async function runAtomic(
  operations: readonly SentOperation[],
  { createContext, run }: AtomicOptions,
): Promise<HttpAnswer[]> {
  const first = createContext();
  const release = await queue.take(first.caller.organizationId, first.signal);
  const { em } = first;
  try {
    await em.begin();
    const answers: HttpAnswer[] = [];
    try {
      for (const { body } of operations) {
        const context = createContext();
        context.within(first);
        const answer = await run(body, context);
        answers.push(answer);
        if (isFailed(answer)) break;
        await first.audit.end(em);
        // The next operation may change rows that this one loaded, so it must read them again.
        em.clear();
      }
    } catch (error) {
      await em.rollback();
      throw error;
    }
    const failed = answers.findIndex(isFailed);
    if (failed === -1) {
      await em.commit();
      first.wake();
      return answers;
    }
    await em.rollback();
    return operations.map((_, index) => (index === failed ? answers[index]! : undone(failed)));
  } finally {
    release();
  }
}

const isFailed = ({ text }: HttpAnswer): boolean => 'errors' in (JSON.parse(text) as object);

const undone = (failed: number): HttpAnswer => {
  const { code, message } = new ApiError(
    'CONFLICT',
    `Nothing was changed, because operation ${failed} of this atomic batch failed.`,
  );
  return { status: 200, headers: [], text: JSON.stringify({ errors: [{ message, extensions: { code } }] }) };
};
