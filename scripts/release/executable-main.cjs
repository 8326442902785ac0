"use strict";

// The main script of the executable, which holds the program in parts. It compiles a part when the program first asks for it:
// most commands need a tenth of the program, and Node would compile one file as a whole.
const { getAsset } = require("node:sea");
const { compileFunction } = require("node:vm");

const modules = new Map();

function load(part) {
  const known = modules.get(part);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  modules.set(part, module);
  const code = compileFunction(getAsset(part, "utf8"), ["exports", "require", "__filename"], { filename: part });
  code(module.exports, (id) => (id.startsWith("./") ? load(id.slice("./".length)) : require(id)), process.execPath);
  return module.exports;
}

async function run() {
  process.exitCode = await load("main.js").main();
}

void run();
