import { TypedDocumentString } from '../../api/documents.js';

interface Names {
  readonly organizationId: string;
  readonly applicationId: string;
}

/** A link to a dashboard, without its token. */
export interface DashboardLink {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** Asks for the links to a dashboard. */
export const LinksDocument = new TypedDocumentString<
  { application: { id: string; dashboardLinks: readonly DashboardLink[] | null } | null },
  Names
>(`query DashboardLinks($organizationId: ID!, $applicationId: ID!) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    id
    dashboardLinks { id name prefix createdAt lastUsedAt expiresAt }
  }
}`);

/** Creates a link. Its address is in this answer alone. */
export const CreateLinkDocument = new TypedDocumentString<
  { createDashboardLink: { url: string } | null },
  Names & { readonly name: string; readonly expiresAt: string | null }
>(`mutation CreateDashboardLink($organizationId: ID!, $applicationId: ID!, $name: String!, $expiresAt: DateTimeISO) {
  createDashboardLink(organizationId: $organizationId, applicationId: $applicationId, name: $name, expiresAt: $expiresAt) { url }
}`);

/** Ends a link. */
export const EndLinkDocument = new TypedDocumentString<
  { deleteDashboardLink: { id: string } | null },
  Names & { readonly linkId: string }
>(`mutation EndDashboardLink($organizationId: ID!, $applicationId: ID!, $linkId: ID!) {
  deleteDashboardLink(organizationId: $organizationId, applicationId: $applicationId, linkId: $linkId) { id }
}`);
