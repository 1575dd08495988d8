export { callInput } from "./call-input.ts"
export { apply, buildHistory, emptyHistory, historyWindowRows, newestRows } from "./history-index.ts"
export type { HistoryIndex } from "./history-index.ts"
export type { HistoryRow, HistoryWindow } from "./history-row.ts"
export { numberWindow, openRowNumbering } from "./row-numbering.ts"
export type { HistoryPage, NumberedRow, RowNumbering } from "./row-numbering.ts"
export { compareOrder } from "./row-order.ts"
export type { RowOrder } from "./row-order.ts"
export type {
  AgentCallValue,
  EntryPromptValue,
  MessageValue,
  RequestValue,
  RowValue,
  SteerValue,
  ThoughtValue,
  ToolValue,
  TurnDiffValue,
  TurnResultValue,
  UnreadableValue
} from "./row-value.ts"
export { firstPage, pageAt, transcriptContents, transcriptExport, transcriptPageEntries } from "./transcript.ts"
export type { TranscriptContents, TranscriptSession } from "./transcript.ts"
export {
  decodeTranscriptCursor,
  TranscriptCursorFault,
  TranscriptCursorInvalid,
  transcriptReference
} from "./transcript-cursor.ts"
export type { TranscriptCursor, TranscriptOwner, TranscriptPlace } from "./transcript-cursor.ts"
