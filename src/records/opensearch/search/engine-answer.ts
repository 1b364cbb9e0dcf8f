import type { CallScope } from '#records/scope/call-scope.js';
import { SearchFailure } from '#search/search-failure.js';
import type { EngineAnswer, EngineHit, EngineSearch } from '../engine.js';
import type { CallWork } from './call-work.js';
import { type OneQuery, runQueryStep, shardsOf } from './one-query.js';
import { ask, isLost, type Planned, planTimed, prepare, searchOf } from './prepare-search.js';
import { devicesOfHits } from './shown-device.js';

/**
 * Answers queries, each in its place. Invalid queries are already answered or are answered here. Queries without an
 * answer at the deadline time out.
 */
export const answerQueries = async (queries: readonly OneQuery[], work: CallWork): Promise<void> => {
  const prepared = await work.reading(async (snapshot, leave) => {
    const found = await prepare(queries, snapshot, work);
    leave(found.planned?.expected);
    return found;
  });
  const planned = prepared.planned ?? (await planTimed(prepared, work));
  const { plans } = planned;
  const { scope } = prepared;
  const searches = plans.map(({ asked, plan }) => plan.bodies.map((body) => searchOf(asked, body)));
  const answers = await askAll(searches, scope, work);
  const more = plans.map(({ asked, plan }, place) =>
    isAnswered(answers[place]!) ? plan.more(answers[place]!).map((body) => searchOf(asked, body)) : [],
  );
  await read(planned, { answers, later: await askAll(more, scope, work) }, work);
};

const isAnswered = (answers: readonly EngineAnswer[]): boolean =>
  answers.every((answer) => answer.error === undefined && !answer.timed_out);

/** Sends all searches to the engine in one request and groups the answers like the searches. */
const askAll = async (
  searches: readonly (readonly EngineSearch[])[],
  scope: CallScope,
  work: CallWork,
): Promise<EngineAnswer[][]> => {
  const answers = [...(await ask(searches.flat(), scope, work))];
  return searches.map((group) => answers.splice(0, group.length));
};

/** Reads the answers, with the devices of all records that they show. */
const read = async (
  { plans, expected }: Planned,
  { answers, later }: { answers: readonly EngineAnswer[][]; later: readonly EngineAnswer[][] },
  work: CallWork,
): Promise<void> => {
  const { took } = work;
  const shown: EngineHit[] = [];
  for (const [index, { asked, plan }] of plans.entries()) {
    const { query } = asked;
    if (query.answer !== undefined || isLost(query, [...answers[index]!, ...later[index]!], work)) continue;
    runQueryStep(query, () => void shown.push(...plan.take(answers[index]!, later[index]!)));
  }
  const devices = await devicesOfHits(shown, expected, work);
  for (const [index, { asked, plan }] of plans.entries()) {
    const { query } = asked;
    if (query.answer !== undefined) continue;
    try {
      const found = await plan.read(devices);
      query.answer = {
        took: took(),
        timed_out: false,
        status: 200,
        _shards: shardsOf([...answers[index]!, ...later[index]!]),
        ...found,
      };
    } catch (error) {
      if (!(error instanceof SearchFailure)) throw error;
      query.answer = error.toAnswer();
    }
  }
};
