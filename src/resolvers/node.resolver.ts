import sql, { type Sql } from 'sql-template-tag';
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { isOwner, readableApplication, readableDevice, readableProduct, writableApplication } from '../auth/access.js';
import { accountRows, applicationRows, deviceRows, productRows, teamRows } from '../auth/rows.js';
import type { Caller } from '../entities/caller.js';
import { isId } from '../entities/id.js';
import { Node } from '../entities/node.js';
import { notFound } from '../errors.js';
import type { RecordIndex } from '../records/record-index.js';
import type { Context } from '../schema/context.js';
import { NodeArgs } from '../schema/node.args.js';
import { tokenColumns } from './api-tokens.js';
import { hookRows } from './hooks.js';
import { jobRows } from './jobs.js';
import { loadById } from './loader.js';
import { recordById } from './records.js';

type RowsOf = (caller: Caller, ids: Sql) => Sql;

/** Of each type of node, the rows with these identifiers that the caller can see, as its own queries would show them. */
const rowsByType: Readonly<Record<string, RowsOf>> = {
  Organization: ({ organizationId }, ids) => sql`${accountRows} where o.id = any(${ids}) and o.id = ${organizationId}`,
  Team: ({ organizationId }, ids) =>
    sql`${teamRows()} where t.id = any(${ids}) and t.organization_id = ${organizationId}`,
  Product: (caller, ids) => sql`${productRows(caller)} where p.id = any(${ids}) and ${readableProduct(caller)}`,
  Device: (caller, ids) => sql`
    ${deviceRows(caller)}
     where d.id = any(${ids}) and d.organization_id = ${caller.organizationId} and ${readableDevice(caller)}`,
  Application: (caller, ids) => sql`
    ${applicationRows(caller)}
     where a.id = any(${ids}) and a.organization_id = ${caller.organizationId} and ${readableApplication(caller)}`,
  Hook: (caller, ids) => sql`
    ${hookRows} join application a on a.id = h.application_id
     where h.id = any(${ids}) and h.organization_id = ${caller.organizationId} and ${writableApplication(caller)}`,
  Job: ({ organizationId }, ids) => sql`${jobRows} where j.id = any(${ids}) and j.organization_id = ${organizationId}`,
  ApiToken: (caller, ids) => sql`
    select ${tokenColumns} from api_token k
     where k.id = any(${ids}) and k.organization_id = ${caller.organizationId} and ${isOwner(caller)}`,
};

/** Anything by its identifier. */
@Resolver()
export class NodeResolver {
  constructor(private readonly index: Pick<RecordIndex, 'find'>) {}

  @Query(() => Node, {
    description:
      'Anything by its identifier alone, where the caller can see it: an organization, team, product, device, application, hook, job, token or record.',
  })
  async node(@Args(() => NodeArgs) { id }: NodeArgs, @Ctx() ctx: Context): Promise<Node> {
    if (!isId(id)) throw notFound('node');
    const named = async (type: string, found: Promise<Node | null>) => {
      const node = await found;
      return node && { ...node, __typename: type };
    };
    const found = await Promise.all([
      ...Object.entries(rowsByType).map(([type, rowsOf]) =>
        named(
          type,
          loadById(ctx, `node ${type}`, id, (ids) => rowsOf(ctx.caller, sql`${ids}::uuid[]`)),
        ),
      ),
      named('Record', recordById(ctx, this.index, id)),
    ]);
    const node = found.find((each) => each !== null);
    if (node === undefined) throw notFound('node');
    return node;
  }
}
