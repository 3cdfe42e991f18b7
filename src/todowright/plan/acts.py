"""What a step does, told by its verbs: it builds, checks, looks, removes, ships, plans or documents.

The words are those that begin the steps of real plans, in the languages that those were written in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_VERBS = {
    "check": "test verify validate confirm ensure check retest tester vérifier valider testen prüfen probar verificar "
    "comprobar протестировать проверить",
    "look": "analyze analyse investigate research explore examine inspect study understand review audit check read "
    "identify find survey locate diagnose debug analyser étudier untersuchen analysieren analizar revisar изучить",
    "build": "implement create add build write fix update refactor develop make improve enhance extend rewrite support "
    "introduce integrate draft optimize optimise patch change replace migrate convert move extract debug implémenter ajouter "
    "créer corriger implementieren erstellen hinzufügen beheben crear añadir agregar implementar corregir добавить "
    "создать реализовать исправить",
    "remove": "remove delete drop disable uninstall supprimer entfernen löschen eliminar удалить",
    "ship": "deploy release publish commit push merge tag submit déployer publier veröffentlichen desplegar publicar",
    "plan": "design plan propose sketch draft concevoir entwerfen diseñar",
    "document": "document describe documenter dokumentieren documentar",
}
_UNSPACED_VERBS = {
    "check": "测试 验证 检查 确认 校验 テスト 検証 動作確認 테스트 검증",
    "look": "分析 研究 调研 查看 阅读 調査 분석",
    "build": "实现 创建 添加 编写 修复 开发 构建 更新 重构 优化 新增 改进 実装 作成 作る 追加 修正 改善 구현 추가 작성 수정",
    "remove": "删除 移除 削除 삭제",
    "ship": "部署 发布 提交 上线 公開 リリース 배포",
    "plan": "设计 設計 설계",
}
_SAY_LITTLE = (
    "full complete comprehensive remaining existing new current final proper basic simple missing additional various "
    "other relevant detailed suite code changes file files function functions functionality feature features support "
    "run set setup start begin prepare handle work use get put finish finalize finalise configure define call search "
    "look task step issue launch"
)
_AKIN = ({"check", "look"}, {"look", "plan"}, {"look", "document"}, {"plan", "document"})
"""Acts that one step may be said to be in other words."""
_JOIN = {"and", "then", "und", "et", "y"}
_BEFORE_AN_OBJECT = {"for", "of", "in", "to", "on", "with", "that", "until", "pour", "de"}
_TESTS = {"test", "tests", "testing", "spec", "specs"}
_KINDS_OF_TESTS = {"unit", "integration", "e2e"}
_DOCUMENTS = {"doc", "docs", "documentation", "readme", "changelog", "guide"}
_MAKE_OR_RUN = {
    "write",
    "add",
    "create",
    "update",
    "implement",
    "improve",
    "extend",
    "build",
    "run",
    "fix",
}
_MAKE_OR_RUN |= {"ajouter", "écrire"}


def opposed(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts do different things, as one that tests and one that builds."""
    if not one or not other or one & other:
        return False
    return not any({a, b} in _AKIN for a in one for b in other)


class Verbs:
    """The verbs as tables; made when they are needed."""

    def __init__(self) -> None:
        self._acts: dict[str, set[str]] = {}
        for act, words in _VERBS.items():
            for word in words.split():
                self._acts.setdefault(word, set()).add(act)
        self._unspaced = {
            word: act for act, words in _UNSPACED_VERBS.items() for word in words.split()
        }
        self.general = {*self._acts, *_SAY_LITTLE.split()}
        """Words that many steps have: that two texts share one says little."""
        self.general_unspaced = {*self._unspaced, "进行", "使用", "完成", "行う", "処理"}
        self._ends_in_test = re.compile(
            r"(?P<joined>[并后和，,て]\W*)?(?:测试|テスト|테스트)[。. ]*\Z"
        )

    def acts_of(self, text: str, words: Sequence[str]) -> frozenset[str]:
        """What a text in small letters does; empty if its verbs are not known. Its words begin with the verb."""
        return self._of_unspaced(text) or (self._of_spaced(words) if words else frozenset())

    def _of_unspaced(self, text: str) -> frozenset[str]:
        """The act of the first verb; what ends in `测试` is a test, also where it says `编写` before."""
        found = sorted(
            (text.find(word), act) for word, act in self._unspaced.items() if word in text
        )
        if not found:
            return frozenset()
        first = found[0][1]
        end = self._ends_in_test.search(text[-16:])
        if end is None:
            return frozenset([first])
        return frozenset([first, "check"]) if end["joined"] else frozenset(["check"])

    def _of_spaced(self, words: Sequence[str]) -> frozenset[str]:
        """The acts of the first word and of those behind an `and`; to write tests is to check."""
        verbs = [words[0], *(after for word, after in pairwise(words) if word in _JOIN)]
        found = {act for verb in verbs for act in self._acts.get(verb, ())}
        if words[0] in _MAKE_OR_RUN:
            end = next((n for n, word in enumerate(words) if word in _BEFORE_AN_OBJECT), len(words))
            made = set(words[1:end])
            if made & _TESTS and words[0] != "fix":
                return frozenset(found | {"check"} if made & _JOIN else {"check"})
            if made & _DOCUMENTS:
                found.add("document")
        elif next((word for word in words if word not in _KINDS_OF_TESTS), "") in _TESTS:
            found.add("check")
        return frozenset(found)
