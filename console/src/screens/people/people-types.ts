import type { PeopleQuery } from '../../api/documents.js';

/** A member of the organization, as the screen lists it. */
export type Member = NonNullable<PeopleQuery['organizationMembers']>['items'][number];

/** A team, as the screen lists it. */
export type Team = NonNullable<PeopleQuery['teams']>['items'][number];

/** An application that a team may see. */
export type Application = NonNullable<PeopleQuery['applications']>['items'][number];
