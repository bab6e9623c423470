/** The messages between the server and the process of the model. */

export interface ModelRequest {
  readonly id: number;
  readonly text: string;
}

export type ModelMessage =
  | { readonly ready: { readonly name: string; readonly dimensions: number } }
  | { readonly failed: string }
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number; readonly problem: string };
