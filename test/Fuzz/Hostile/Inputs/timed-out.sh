#!/bin/sh
# Stands in for a fuzz target in retry.test. The run of many inputs times out, for fuzz-once only the first time; the retry of the single
# input times out, too, except for fuzz-once.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
name=${0##*/fuzz-}
for word; do
  case $word in
    -artifact_prefix=*) failed=${word#*=} ;;
  esac
done
if [ -z "$failed" ]; then
  [ "$name" = once ]
  exit
fi
if [ "$name" = once ] && [ -e "${failed}tried" ]; then
  echo 'stat::number_of_executed_units: 7'
  exit
fi
touch "${failed}tried" "${failed}timeout-0"
echo "SUMMARY: libFuzzer: timeout"
echo "Test unit written to ${failed}timeout-0"
exit 70
