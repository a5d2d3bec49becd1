export interface When {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly index: number
}
export const whenOf = (_text: string, _asked: number, _zone: string): ReadonlyArray<When> => []
