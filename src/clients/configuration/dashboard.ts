import type { Graph, GraphOperation } from './client.js';
import type { Values } from './document.js';
import type { State } from './state.js';

/** The parts of a dashboard's document that name products. */
interface Naming {
  product?: string;
  source?: Naming;
  sources?: Naming[];
  query?: { products?: string[] };
}

interface Document {
  variables?: { kind?: string; default?: string }[];
  panels?: Naming[];
}

/** Returns the document of a dashboard with its product identifiers replaced by keys, or its keys by identifiers. */
export function renameDashboardProducts(document: Values, productName: (product: string) => string): Values {
  // A file may hold anything; the service checks it when it is saved.
  const { variables, panels } = document as Document;
  const named = (part: Naming): Naming =>
    typeof part !== 'object' || part === null
      ? part
      : {
          ...part,
          ...(typeof part.product === 'string' && { product: productName(part.product) }),
          ...(part.source && { source: named(part.source) }),
          ...(Array.isArray(part.sources) && { sources: part.sources.map(named) }),
          ...(Array.isArray(part.query?.products) && {
            query: { ...part.query, products: part.query.products.map(productName) },
          }),
        };
  return {
    ...document,
    ...(Array.isArray(variables) && {
      variables: variables.map((each) =>
        each?.kind === 'product' && typeof each.default === 'string'
          ? { ...each, default: productName(each.default) }
          : each,
      ),
    }),
    ...(Array.isArray(panels) && { panels: panels.map(named) }),
  };
}

/** Returns the operation that saves a dashboard. */
export const savingOf = (
  organizationId: string,
  applicationId: string,
  version: number,
  document: Values,
): GraphOperation => ({
  query: `mutation ($o: ID!, $a: ID!, $v: Int!, $d: JSON!) {
    updateDashboard(organizationId: $o, applicationId: $a, version: $v, document: $d) { version } }`,
  variables: { o: organizationId, a: applicationId, v: version, d: document },
});

/** Returns the operation that saves a dashboard over its stored version. */
export async function savingIn(
  { organizationId, graph }: { readonly organizationId: string; readonly graph: Graph },
  { applications }: Pick<State, 'applications'>,
  applicationId: string,
  document: Values,
): Promise<GraphOperation> {
  const known = applications.find(({ id }) => id === applicationId)?.dashboard;
  if (known != null) return savingOf(organizationId, applicationId, known.version, document);
  // An application that got its dashboard in an earlier step may have a document from before.
  const found = await graph.ask<{ application: { dashboard: { version: number } | null } }>(
    'query ($o: ID!, $a: ID!) { application(organizationId: $o, applicationId: $a) { dashboard { version } } }',
    { o: organizationId, a: applicationId },
  );
  return savingOf(organizationId, applicationId, found.application.dashboard?.version ?? 0, document);
}
