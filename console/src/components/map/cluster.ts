/** A point in the plane of the map. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** Points that are close together, and their centre. */
export interface Cluster<P> extends Point {
  readonly of: readonly P[];
}

/**
 * Groups points that are closer together than `reach`. A point joins the first cluster whose first point is within
 * reach. The same order of points gives the same clusters, so that marks do not jump.
 */
export const clustersOf = <P extends Point>(points: readonly P[], reach: number): Cluster<P>[] => {
  const groups: P[][] = [];
  for (const point of points) {
    const near = groups.find(([first]) => Math.hypot(first!.x - point.x, first!.y - point.y) < reach);
    if (near === undefined) groups.push([point]);
    else near.push(point);
  }
  return groups.map((of) => ({
    of,
    x: of.reduce((sum, { x }) => sum + x, 0) / of.length,
    y: of.reduce((sum, { y }) => sum + y, 0) / of.length,
  }));
};
