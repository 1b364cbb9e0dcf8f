import { isWall } from '../../../api/session.js';

/** The name of a device with a link to its screen. A wall shows nothing but its dashboard, and has no link. */
export const deviceLink = (id: string, name: string) => (isWall ? name : <a href={`/console/devices/${id}`}>{name}</a>);
