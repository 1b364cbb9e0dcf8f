import type { VariableType } from '../../../api/documents.js';
import type { Look } from '../../../format/look.js';
import type { ChosenRange } from '../../../format/range.js';
import type { PanelRequest } from './request.js';

/** Properties of a variable, as the products declare and set them. */
export interface Fact extends Look {
  readonly type: VariableType;
}

/** Returns how values of a source are shown: as the products say, with the unit of the source if it has one. */
export const lookOf = (fact: Look | undefined, unit: string | undefined): Look => ({
  ...fact,
  unit: unit || (fact?.unit ?? null),
});

/** Range and facts that all panels of a request share. */
export interface Context {
  readonly request: PanelRequest;
  readonly range: ChosenRange;
  readonly from: number;
  readonly to: number;
  /** Variables of the application's products by name. */
  readonly facts: ReadonlyMap<string, Fact>;
}
