import sql from 'sql-template-tag';
import { Trail } from '#audit/trail.js';

/* Runs before a service starts, so that its creates leave no event: the other side of the bench of the audit log. */
Trail.prototype.eventOf = () => sql`select 1`;
