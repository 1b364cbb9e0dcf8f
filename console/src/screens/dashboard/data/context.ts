import type { VariableType } from '../../../api/documents.js';
import type { PanelRequest } from './request.js';

/** Properties of a variable, as the products declare them. */
export interface Fact {
  readonly unit: string | null;
  readonly type: VariableType;
}

/** Range and facts that all panels of a request share. */
export interface Context {
  readonly request: PanelRequest;
  readonly from: number;
  readonly to: number;
  /** Variables of the application's products by name. */
  readonly facts: ReadonlyMap<string, Fact>;
}
