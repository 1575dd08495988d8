/** Sessions: whether one can take another Turn. */
import { Schema } from "effect"

/** `open`: takes Turns; `detached`: needs a resume of its outside conversation; `ended`: its Run was cancelled or deleted. */
export const SessionAvailability = Schema.Literals(["open", "detached", "ended"])
export type SessionAvailability = typeof SessionAvailability.Type

/** The Session a Run has when nobody names one. */
export const defaultSessionName = "main"
