import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Mutation, Resolver } from 'type-graphql';
import { authorize, loadTeam } from '#auth/access.js';
import { execute } from '#auth/execute.js';
import { policies } from '#auth/policies.js';
import { invalid, notFound } from '#common/errors.js';
import { textArray } from '#database/text-array.js';
import type { Permission } from '#entities/enums.js';
import { isId, newId } from '#entities/id.js';
import { PutAnswer } from '#entities/put-answer.js';
import { Team } from '#entities/team.js';
import type { Context, Read } from '#schema/context.js';
import { Outcomes, type Placed } from '#upsert/upsert.js';
import { upsertMany } from '#upsert/upsert-many.js';
import { PutTeamApplicationsArgs, PutTeamMembersArgs, PutTeamsArgs } from './team.args.js';

/** Resolves the mutations that put many teams, or many members or applications of a team. */
@Resolver()
export class TeamUpsertResolver {
  @Mutation(() => PutAnswer, {
    description:
      'Creates and changes teams by their names. One outcome per team, in order; the fault of one does not fail the others.',
  })
  putTeams(
    @Args(() => PutTeamsArgs) { organizationId, teams, dryRun }: PutTeamsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    authorize(ctx, organizationId, policies.team.change);
    return upsertMany(ctx, teams, {
      organizationId,
      key: 'name',
      isDry: dryRun === true,
      type: Team,
      make: () => Object.assign(new Team(), { id: newId(), organizationId }),
      change: (team, item) => void team.change(item),
    });
  }

  @Mutation(() => PutAnswer, {
    description: 'Adds members of the organization to a team. One outcome per member, in order.',
  })
  async putTeamMembers(
    @Args(() => PutTeamMembersArgs) { organizationId, teamId, members, dryRun }: PutTeamMembersArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    const team = await loadTeam(ctx, { organizationId, teamId }, policies.team.change);
    const outcomes = new Outcomes(members);
    const named = nameItems(outcomes, { id: 'memberId', key: 'username' }, (item) => [item.memberId, item.username]);
    await inTransaction({ ctx, outcomes, isDry: dryRun === true }, async (run) => {
      const rows = await run<{ id: string; key: string; isIn: boolean }>(sql`
        select u.id, u.username as key,
               exists (select from team_member tm where tm.team_id = ${team.id} and tm.user_id = u.id) as "isIn"
          from membership m join account u on u.id = m.user_id
         where m.organization_id = ${organizationId}
           and (u.id = any(${textArray(named.ids)}::uuid[]) or u.username = any(${textArray(named.keys)}))`);
      const found = named.find(rows, 'member');
      for (const { index, thing } of found)
        outcomes.settle(index, { status: thing.isIn ? 'unchanged' : 'created', id: thing.id });
      const added = found.filter(({ thing }) => !thing.isIn);
      if (dryRun === true || added.length === 0) return;
      const stored = await run<{ id: string }>(sql`
        insert into team_member (organization_id, team_id, user_id)
        select ${organizationId}::uuid, ${team.id}::uuid, t.id
          from unnest(${textArray(added.map(({ thing }) => thing.id))}::uuid[]) t (id) order by t.id
        on conflict do nothing returning user_id as id`);
      // Of several calls that put the same member at once, one creates the row.
      const created = new Set(stored.map(({ id }) => id));
      for (const { index, thing } of added)
        if (!created.has(thing.id)) outcomes.settle(index, { status: 'unchanged', id: thing.id });
    });
    return outcomes.answer();
  }

  @Mutation(() => PutAnswer, {
    description: 'Gives a team access to applications, or changes its access. One outcome per application, in order.',
  })
  async putTeamApplications(
    @Args(() => PutTeamApplicationsArgs) { organizationId, teamId, applications, dryRun }: PutTeamApplicationsArgs,
    @Ctx() ctx: Context,
  ): Promise<PutAnswer> {
    const team = await loadTeam(ctx, { organizationId, teamId }, policies.team.change);
    const outcomes = new Outcomes(applications);
    const names = { id: 'applicationId', key: 'externalId' };
    const named = nameItems(outcomes, names, (item) => [item.applicationId, item.externalId]);
    await inTransaction({ ctx, outcomes, isDry: dryRun === true }, async (run) => {
      const rows = await run<{ id: string; key: string | null; permission: Permission | null }>(sql`
        select a.id, a.external_id as key, ta.permission
          from application a left join team_application ta on ta.application_id = a.id and ta.team_id = ${team.id}
         where a.organization_id = ${organizationId}
           and (a.id = any(${textArray(named.ids)}::uuid[]) or a.external_id = any(${textArray(named.keys)}))`);
      const grants = named.find(rows, 'application').flatMap(({ index, item, thing: { id, permission } }) => {
        const status = permission === null ? 'created' : permission === item.permission ? 'unchanged' : 'updated';
        outcomes.settle(index, { status, id });
        return status === 'unchanged' ? [] : { index, id, permission: item.permission };
      });
      if (dryRun === true || grants.length === 0) return;
      const stored = await run<{ id: string; isNew: boolean }>(sql`
        insert into team_application (organization_id, team_id, application_id, permission)
        select ${organizationId}::uuid, ${team.id}::uuid, w.id, w.permission
          from jsonb_to_recordset(${JSON.stringify(grants)}::jsonb) as w (id uuid, permission text) order by w.id
        on conflict (team_id, application_id) do update set permission = excluded.permission
          where team_application.permission <> excluded.permission
        -- A row that this statement inserts was never locked or changed by another.
        returning application_id as id, xmax = 0 as "isNew"`);
      // Of several calls that put the same grant at once, one creates the row.
      const isNew = new Map(stored.map((row) => [row.id, row.isNew]));
      for (const { index, id } of grants) {
        const created = isNew.get(id);
        outcomes.settle(index, { status: created === undefined ? 'unchanged' : created ? 'created' : 'updated', id });
      }
    });
    return outcomes.answer();
  }
}

/** Runs the work of a call in a transaction, with its event. */
const inTransaction = (
  { ctx, outcomes, isDry }: { ctx: Context; outcomes: Outcomes<object>; isDry: boolean },
  work: (run: Read) => Promise<void>,
): Promise<void> =>
  ctx.em.transactional(async (em) => {
    await work(<Row extends object>(query: Sql) => execute<Row>(em, query));
    outcomes.note(ctx, 'team', isDry);
  });

interface Row {
  id: string;
  key: string | null;
}

/** Reads the identifier or the key by which each item names a thing. Fails the items that give neither or both. */
function nameItems<Item extends object>(
  outcomes: Outcomes<Item>,
  names: { id: string; key: string },
  namesOf: (item: Item) => readonly [id: string | null | undefined, key: string | null | undefined],
) {
  outcomes.requireValid();
  for (const { index, item } of outcomes.open) {
    const [id, key] = namesOf(item);
    if ((id == null) !== (key == null)) continue;
    outcomes.fail(index, invalid([{ path: names.id, message: `or \`${names.key}\` must be given` }]));
  }
  outcomes.requireUnique(names.id, (item) => namesOf(item)[0]);
  outcomes.requireUnique(names.key, (item) => namesOf(item)[1]);
  const given = outcomes.open.map(({ item }) => namesOf(item));
  return {
    ids: given.flatMap(([id]) => (id != null && isId(id) ? id : [])),
    keys: given.flatMap(([, key]) => key ?? []),
    /** Returns each item with the thing that it names. Fails the items whose thing is missing or was named before. */
    find<Thing extends Row>(rows: readonly Thing[], what: string): (Placed<Item> & { thing: Thing })[] {
      const byId = new Map(rows.map((row) => [row.id, row]));
      const byKey = new Map(rows.map((row) => [row.key, row]));
      const seen = new Set<string>();
      return outcomes.open.flatMap(({ index, item }) => {
        const [id, key] = namesOf(item);
        const thing = id == null ? byKey.get(key!) : byId.get(id);
        if (thing === undefined) outcomes.fail(index, notFound(what));
        else if (seen.has(thing.id)) outcomes.fail(index, invalid([{ path: names.id, message: 'is named twice' }]));
        else {
          seen.add(thing.id);
          return { index, item, thing };
        }
        return [];
      });
    },
  };
}
