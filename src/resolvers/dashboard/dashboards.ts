import DataLoader from 'dataloader';
import sql from 'sql-template-tag';
import { targetOf } from '#audit/fields.js';
import { execute } from '#auth/execute.js';
import { productRows } from '#auth/rows.js';
import { conflict } from '#common/errors.js';
import { type Document, emptyDocument } from '#dashboard/document.js';
import { suggestDocument, type UsedProduct } from '#dashboard/suggest.js';
import type { Application } from '#entities/application.js';
import type { Dashboard } from '#entities/dashboard.js';
import { type Product, recordedVariables } from '#entities/product.js';
import { loaderOf } from '#listing/loader.js';
import type { Context } from '#schema/context.js';
import { everything } from '#schema/selected-fields.js';

/** A row of an application that has a dashboard, which may never have been saved. */
type Row = Pick<Dashboard, 'applicationId' | 'updatedAt' | 'updatedById'> & {
  version: number | null;
  document: unknown;
};

/**
 * Loads the dashboard of an application; null while the application has none. All dashboards of a call share one
 * statement.
 */
export function dashboardOf(ctx: Context, applicationId: string): Promise<Dashboard | null> {
  const make = () => new DataLoader<string, Dashboard | null>((ids) => readDashboards(ctx, ids));
  return loaderOf(ctx, 'application.dashboard', make).load(applicationId);
}

/** Reads the dashboards of applications, in the order of their identifiers. */
async function readDashboards(ctx: Context, ids: readonly string[]): Promise<(Dashboard | null)[]> {
  const rows = await ctx.read<Row>(sql`
    select a.id as "applicationId", b.version, b.document, b.updated_at as "updatedAt", b.updated_by as "updatedById"
      from application a left join dashboard b on b.application_id = a.id
     where a.id = any(${ids}::uuid[]) and a.has_dashboard`);
  const found = new Map(rows.map((row) => [row.applicationId, filled(row)]));
  return ids.map((id) => found.get(id) ?? null);
}

const filled = ({ version, document, ...row }: Row): Dashboard => ({
  ...row,
  version: version ?? 0,
  document: document ?? emptyDocument,
});

/** A document to save, and the version that it was made from. */
export interface Save {
  readonly version: number;
  /** As {@link requireDocument} returns it. */
  readonly json: string;
  /** Time of the save in milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Saves a dashboard with the event of the operation.
 * @throws conflict when the application has no dashboard, or another save came first.
 */
export async function saveDashboard(
  ctx: Context,
  application: Application,
  { version, json, now }: Save,
): Promise<Dashboard> {
  if (!application.hasDashboard) throw conflict('The application has no dashboard: set `hasDashboard` first.');
  const { id, organizationId } = application;
  const [time, by] = [new Date(now).toISOString(), ctx.caller.userId];
  const statement =
    version === 0
      ? sql`insert into dashboard (application_id, organization_id, version, document, updated_at, updated_by)
            values (${id}, ${organizationId}, 1, ${json}::json, ${time}, ${by}) on conflict do nothing returning 0 as panels`
      : sql`with before as (
              select application_id, document from dashboard
               where application_id = ${id} and version = ${version} for update)
            update dashboard b set version = version + 1, document = ${json}::json, updated_at = ${time}, updated_by = ${by}
              from before where b.application_id = before.application_id
            returning json_array_length(before.document -> 'panels') as panels`;
  const document = JSON.parse(json) as Document;
  await ctx.em.transactional(async (em) => {
    const [replaced] = await execute<{ panels: number }>(em, statement);
    // Undoes the transaction: a refused save leaves no event.
    if (replaced === undefined) throw await savedMeanwhile(ctx, id);
    // Documents may be long, so the event has a summary.
    const before = version === 0 ? null : { version, ...replaced };
    const after = { version: version + 1, panels: document.panels.length };
    ctx.audit.about(targetOf('Application', application), { dashboard: [before, after] });
  });
  return { applicationId: id, version: version + 1, document, updatedAt: time, updatedById: by };
}

async function savedMeanwhile(ctx: Context, id: string): Promise<Error> {
  const [stored] = await ctx.read<{ version: number; at: string; by: string | null }>(sql`
    select b.version, b.updated_at as at, coalesce(u.name, u.username) as by
      from dashboard b left join account u on u.id = b.updated_by where b.application_id = ${id}`);
  if (stored === undefined) return conflict('The dashboard was never saved: its version is 0.');
  const who = stored.by ?? 'A token of the organization';
  return conflict(
    `${who} saved version ${stored.version} at ${stored.at}: read it, and make your change from it again.`,
  );
}

/** Returns a first document for an application, made from the products of its devices. */
export async function suggestionFor(ctx: Context, applicationId: string): Promise<Document> {
  const linked = sql`application_device l join device d on d.id = l.device_id where l.application_id = ${applicationId}`;
  const [products, [located]] = await Promise.all([
    ctx.read<UsedProduct & Product>(sql`
      ${productRows(ctx.caller, everything, sql`, used.used`)}
        join (select d.product_id, count(*)::int as used from ${linked} group by d.product_id) used on used.product_id = p.id
       order by used.used desc, p.id limit 10`),
    ctx.read<{ is: boolean }>(sql`select exists (select from ${linked} and d.lat is not null) as is`),
  ]);
  const recorded = products.map((product) => ({ ...product, variables: recordedVariables(product) }));
  return suggestDocument(recorded, located!.is);
}
