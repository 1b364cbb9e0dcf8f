import { TypedDocumentString } from '../../api/documents.js';
import type { Application } from './facts.js';

/** The application of a link, as a wall reads it. */
export type Walled = Pick<Application, 'id' | 'name' | 'products' | 'devices'> & {
  readonly organizationId: string;
  readonly dashboard: { readonly version: number; readonly document: unknown } | null;
};

/** Asks for what a link shows. */
export const WallDocument = new TypedDocumentString<
  { viewer: { application: Walled | null } | null },
  Record<string, never>
>(`query Wall {
  viewer {
    application {
      id
      organizationId
      name
      dashboard { version document }
      products(limit: 100, sort: "name") { items { id name version variables { name type unit } } }
      devices(limit: 500, sort: "name") { totalCount items { id name serial tags } }
    }
  }
}`);
