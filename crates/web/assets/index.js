// @ts-check
import { api, start } from "./app.js";

start("");
api("/api/hello");
