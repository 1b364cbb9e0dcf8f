import type { PeopleQuery } from '../../api/documents.js';

/** A member of the organization, as the screen lists it. */
export type Member = NonNullable<PeopleQuery['organizationMembers']>['items'][number];

/** A team, as the screen lists it. */
export type Team = NonNullable<PeopleQuery['teams']>['items'][number];

/** The applications that a team may see. */
export type Applications = NonNullable<PeopleQuery['applications']>;
